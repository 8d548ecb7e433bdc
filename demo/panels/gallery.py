"""The examples of the first screen, in words a newcomer understands, one click each; and what else can be done with a
task of one's own where no model can write it. Static, so that they are painted at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from agent.config import Autonomy
from demo.look.markup import div, press, span, tag


@dataclass(frozen=True, slots=True)
class ExampleCard:
    name: str
    """Of the scenario that the demo model plays."""
    title: str
    benefit: str
    tag: str
    seconds: int
    """How long it took on a small machine."""
    autonomy: Autonomy = "full_auto"


FIRST = (
    ExampleCard("roman_numerals", "Roman numerals", "Breaks at 1994, heals in one repair", "heals", 10),
    ExampleCard("wrong_test", "A wrong test", "Two checks miscount; the program is right", "wrong test caught", 9),
    ExampleCard(
        "csv_to_plot", "Sales chart from a CSV", "Reads your file, draws it, checks the totals", "makes a chart", 14
    ),
    ExampleCard(
        "fix_this_code", "Fix this code", "Your function, its fault, the smallest change", "fixes your code", 8
    ),
    ExampleCard(
        "ambiguous_task", "Middle of a list", "The task is unclear, and it says so", "asks you", 12, "review_repairs"
    ),
    ExampleCard(
        "honest_failure", "Too hard to solve", "No repair works, and nothing is glossed over", "fails honestly", 20
    ),
)
MORE = (
    ExampleCard("lru_cache", "LRU cache", "A class whose fault only a sequence of calls shows", "heals", 10),
    ExampleCard("csv_row_normalising", "Messy CSV rows", "Two faults, one behind the other", "heals", 14),
    ExampleCard("bank_account", "Bank account", "Two accounts share one history by mistake", "heals", 10),
    ExampleCard("interval_merging", "Merge intervals", "Neighbours that touch stayed apart", "heals", 9),
    ExampleCard("top_k_words_with_ties", "Most frequent words", "Ties came out in the wrong order", "heals", 10),
    ExampleCard("pagination_boundary", "Pages of a list", "Wrong only when the last page is full", "heals", 9),
    ExampleCard("nested_flatten", "Flatten nested lists", "Depth 0 was taken for no limit", "heals", 9),
    ExampleCard(
        "log_deduplication", "Repeated log lines", "Counted over the whole log instead of in a row", "heals", 10
    ),
    ExampleCard("totals_program", "A small program", "Reads standard input, prints totals", "heals", 10),
    ExampleCard(
        "kmeans_plot", "Clusters, drawn", "Computed but not drawn at first: a missing output", "makes a chart", 12
    ),
    ExampleCard(
        "random_histogram",
        "A random histogram",
        "Nothing can be recomputed, but what was drawn is",
        "makes a chart",
        10,
    ),
    ExampleCard(
        "salary_by_department",
        "Salaries from a CSV",
        "A second program recomputes every figure",
        "answers in figures",
        10,
    ),
    ExampleCard(
        "first_primes", "The first primes", "Read as a function at first; a program was meant", "looks again", 9
    ),
    ExampleCard(
        "shop_project", "A small project", "Several files and failing tests; one file is mended", "fixes your code", 10
    ),
    ExampleCard(
        "shapes_package", "A package of modules", "Three files, imported by their own name", "several files", 9
    ),
    ExampleCard("slug_separator", "A wish about a program", "What it did before, it still does", "goes on", 8),
    ExampleCard("tests_for_code", "Tests for your code", "They must pass, and must notice a change", "writes tests", 8),
    ExampleCard("explain_code", "Explain this code", "Run with its own examples, left as it is", "explains", 6),
    ExampleCard(
        "csv_made_and_read", "Make and read a CSV", "A second program computes it again", "answers in figures", 9
    ),
    ExampleCard(
        "rainfall_in_three_steps",
        "Rainfall in three steps",
        "Each step is proven before the next",
        "step by step",
        12,
    ),
    ExampleCard("slugify", "Slugs from titles", "Right at the first try, and proven", "first try", 6),
)


def autonomy_of(name: str) -> Autonomy:
    """How often a run of this example asks the person."""
    found: list[Autonomy] = [one.autonomy for one in (*FIRST, *MORE) if one.name == name]
    return found[0] if found else "full_auto"


def gallery() -> Markup:
    more = tag(
        "details",
        tag("summary", f"All {len(FIRST) + len(MORE)} examples"),
        div("cards", *_cards(MORE)),
        cls="all-examples",
        data_key="all",
    )
    head = tag("h2", "Try one", span("dim", " no key needed; one click runs it"), cls="gallery-head")
    return tag("section", head, div("cards first", *_cards(FIRST)), more, aria_label="Examples")


def _cards(examples: Sequence[ExampleCard]) -> list[Markup]:
    return [
        tag(
            "button",
            span("card-name", one.title),
            span("card-benefit", one.benefit),
            span("card-foot", span(f"tag tag-{one.tag.replace(' ', '-')}", one.tag), span("dim", f"~{one.seconds} s")),
            type="button",
            cls="example",
            data_do="select",
            data_name=one.name,
        )
        for one in examples
    ]


def ways_panel(local: bool) -> Markup:
    """`local`: a server of one's own, such as Ollama, can be reached from here."""
    ollama = _way("undo", "run", "Use Ollama", "free, on this machine") if local else None
    return tag(
        "section",
        tag("h2", "This task needs a model"),
        tag("p", "The demo model only plays the prepared examples. Your task is kept; choose who writes it:"),
        div(
            "ways",
            _way("edit", "key", "Use my API key", "OpenAI, Claude, Groq, Gemini and others"),
            ollama,
            _way("select", "again", "Show me an example", "runs now, no key needed"),
        ),
        cls="ways-card",
        role="alert",
        aria_label="This task needs a model",
    )


def _way(event: str, sign: str, words: str, note: str) -> Markup:
    name = "roman_numerals" if event == "select" else None
    return press(event, sign, words, span("dim", note), cls="way", data_name=name)
