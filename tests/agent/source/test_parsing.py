"""Whatever stands where Python ought to stand is read without an error that nobody expects."""

from __future__ import annotations

import pytest

from agent.examples.classify import defines_class, form_of
from agent.source.parsing import expression_of, module_of
from agent.source.structure import Source
from agent.task.request import BadInput, check_edited
from agent.trust.cheating import cheating_signs

NO_PYTHON = {
    "words": "no program at all",
    "a null byte": "x = '\0'",
    "open brackets": "(" * 5000,
    "a chain too long": "1+" * 10_000 + "1",
    "signs too many": "-" * 10_000 + "1",
}


@pytest.mark.parametrize("text", NO_PYTHON.values(), ids=NO_PYTHON)
def test_what_does_not_parse_is_an_empty_program_and_no_expression(text: str) -> None:
    assert (module_of(text).body, expression_of(text)) == ([], None)
    assert len(Source(text).nodes) == 1
    assert (defines_class(text), form_of("", text), cheating_signs(text, [(text, text)])) == (False, "function", ())
    with pytest.raises(BadInput, match="the edited program"):
        check_edited(text)
