"""What people type in a hurry, and what they paste from other languages, is read by its form."""

from __future__ import annotations

from tests.tables import in_one_test

from .labelled import promises

ASKED = "Write a function clamp(x, lo, hi).\n\n"


@in_one_test(
    "text, wanted",
    [
        ('need python fn slugify(title). "A b" becomes "a-b"', {"slugify('A b') == 'a-b'"}),
        ('Write slugify(title). "A b" -> "a-b".', {"slugify('A b') == 'a-b'"}),
        ('écris une fonction inverse(s) stp. "abc" donne "cba"', {"inverse('abc') == 'cba'"}),
        ('schreib mal ne funktion umdrehen(s), aus "abc" wird "cba"', {"umdrehen('abc') == 'cba'"}),
        ("Write evens(xs): for [1, 2] you'd get [2].", {"evens([1, 2]) == [2]"}),
        ("Escreva mdc(a, b). O mdc de 12 e 18 é 6.", {"mdc(12, 18) == 6"}),
        (
            'Write alike(a, b): "ab", "ba" -> True; "a", "b" -> False',
            {"alike('ab', 'ba') == True", "alike('a', 'b') == False"},
        ),
        ("Write bmi(weight, height).\nweight=70, height=1.75 -> 22.86", {"bmi(70, 1.75) == 22.86"}),
        (ASKED + "expect(clamp(5, 0, 3)).toBe(3);", {"clamp(5, 0, 3) == 3"}),
        (ASKED + "expect(clamp(1, 0, 3)).toEqual(1)", {"clamp(1, 0, 3) == 1"}),
        (ASKED + "assert_eq!(clamp(5, 0, 3), 3);", {"clamp(5, 0, 3) == 3"}),
        (ASKED + "assert.strictEqual(clamp(5, 0, 3), null);", {"clamp(5, 0, 3) == None"}),
        (ASKED + "console.log(clamp(5, 0, 3)); // 3", {"assert clamp(5, 0, 3) in (3, '3')"}),
        (ASKED + "clamp(5, 0, 3) ~> 3 and clamp(1, 0, 3) ⇨ 1", {"clamp(5, 0, 3) == 3", "clamp(1, 0, 3) == 1"}),
        ('Write slug(s). slug("A") -> "a" slug("B c") -> "b-c"', {"slug('A') == 'a'", "slug('B c') == 'b-c'"}),
        (ASKED + "clamp(5, 0, 3) == 3 clamp(1, 0, 3) are the calls", set[str]()),
        ('Write unit(name). "m" -> 1, "km" -> 1000', set[str]()),
        ('Write graph(edges). "a" -> ["b", "c"].', set[str]()),
        (ASKED + "1, 2 -> 3", set[str]()),
        (ASKED + "expect(clamp(5, 0, 3)).not.toBe(4);", set[str]()),
        (ASKED + "console.log(clamp(5, 0, 3)); // three", set[str]()),
    ],
)  # fmt: skip
def test_hurried_and_foreign_forms(text: str, wanted: set[str]) -> None:
    assert promises(text, None) == wanted
