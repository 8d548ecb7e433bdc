"""Inputs that a sentence names without a call, and texts that stand without quotes."""

from __future__ import annotations

import pytest

from .labelled import promises


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Write gcd(a, b). The gcd of 12 and 18 is 6.", {"gcd(12, 18) == 6"}),
        ("Schreibe ggt(a, b). Der ggt von 12 und 18 ist 6.", {"ggt(12, 18) == 6"}),
        ("Écris pgcd(a, b). Le pgcd de 12 et 18 est 6.", {"pgcd(12, 18) == 6"}),
        ("Scrivi mcd(a, b). Il mcd di 12 e 18 è 6.", {"mcd(12, 18) == 6"}),
        ("Write median(xs). The median of [1, 2, 3] is 2.", {"median([1, 2, 3]) == 2"}),
        ("Write square(n). The square of 3 is 9, which is not prime.", {"square(3) == 9"}),
        ("Write total(*args). For 1, 2, 3 it returns 6.", {"total(1, 2, 3) == 6"}),
        ("Escribe suma(*numeros). Para 1, 2 y 3 devuelve 6.", {"suma(1, 2, 3) == 6"}),
        ("Write clamp(x, lo, hi). For 5, 0, 3 the result is 3.", {"clamp(5, 0, 3) == 3"}),
        ("Write total(items). The total of 5 items is 10.", set[str]()),
        ("Write total(items). The total of 3 is the limit.", set[str]()),
        ("Write area(w, h). The area of 3 is 12.", set[str]()),
        ("Write half(n). Twice the half of 4 is 4.", set[str]()),
        ("Write half(n). The half of 4 is 2 more than 0.", set[str]()),
        ("Write count(xs). The old count of [1] was 2. If the count of [] is 0 then stop.", set[str]()),
        ("Write gcd(a, b). For 1 and 2 and 3 it gives 1.", set[str]()),
        ("Write prime(*numbers). For 2 and 3 it returns True.", set[str]()),
        ("Write power(b, e, m). b up to 10**18, e up to 10**18, m is at most 10**9.", set[str]()),
    ],
)
def test_inputs_that_a_sentence_names_without_a_call(text: str, wanted: set[str]) -> None:
    assert promises(text, None) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Write rev(s).\n\nabc -> cba\nfoo bar -> rab oof", {"rev('abc') == 'cba'", "rev('foo bar') == 'rab oof'"}),
        ("Write up(s).\n\n- hello => HELLO\n- YES => YES", {"up('hello') == 'HELLO'", "up('YES') == 'YES'"}),
        (
            'Write title(s).\nprint(title("war and peace"))  # War and Peace',
            {"title('war and peace') == 'War and Peace'"},
        ),
        ('Write shout(s).\nprint(shout("hi"))\n# HI!', {"shout('hi') == 'HI!'"}),
        ("Write to_binary(n).\nprint(to_binary(5))  # 101", {"assert to_binary(5) in (101, '101')"}),
        ("Write f(n: int) -> int.\nprint(f(5))  # 101", {"f(5) == 101"}),
        ('Write count(s).\nprint(count("abc"))  # three letters', set[str]()),
        ("Write step(state). Transitions:\n\non -> no\nred -> green", set[str]()),
        ("Write f(s: str) -> bool.\n\nabc -> cba", set[str]()),
        ("Write rev(s). Not like this:\n\nabc -> cba", set[str]()),
        ("Write rename(path).\n\na.txt -> A.txt\nb.txt -> c.txt", set[str]()),
    ],
)
def test_texts_without_quotes_are_read_if_they_have_the_letters_of_their_input(text: str, wanted: set[str]) -> None:
    assert promises(text, None) == wanted
