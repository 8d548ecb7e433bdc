"""Reads by code what a task's text promises. A promise that is uncertain is left out: the run would believe it.

All readers stand on one grammar. `words/` holds what people say, by meaning and language (`vocabulary` compiles it).
`grammar/` makes the text uniform and cuts it into sentences (`reading`), finds the calls and values that are written in
it (`calls`, `values`), reads what the words between two of them say (`links`), where that ends (`endings`) and what
takes it back (`doubts`). That gives a `Statement`: an outcome, how firmly it is told, and where that ends.
`readers/` holds one file for each form in which people write a promise, `runs/` those of whole programs, `reports/`
what is told of given code, and `clauses/` the other demands. `brief` asks all of them, after `classify` (by `likeness`)
said what kind of task it is, leaves out what cannot be true (`conflicts`, `fitting`, `library`), and puts the examples
and clauses into one `Brief`."""

from .brief import read_brief
from .clauses import read_clauses

__all__ = ["read_brief", "read_clauses"]
