"""What a person does with a pause and with a run that has ended."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from llm.scenarios import get_scenario

from .conftest import App, Visit, Visitor

pytestmark = pytest.mark.browser
ROMAN = get_scenario("roman_numerals").task  # type: ignore[union-attr]


def test_a_proposed_repair_is_changed_in_place(visit: Visit, app: App):
    visitor = visit(viewport={"width": 1280, "height": 800})
    run_id = visitor.ask(ROMAN, autonomy="Review repairs")
    visitor.wait("waiting")
    expect(visitor.page.locator("#pause .diff-add").first).to_be_in_viewport()
    expect(visitor.page.locator("#approve")).to_be_in_viewport(ratio=1)
    visitor.page.get_by_role("button", name="Change it yourself").click()
    editor = visitor.page.locator("#answer-code .cm-content")
    expect(editor).to_contain_text("def to_roman")
    editor.click()
    visitor.page.keyboard.press("Control+End")
    visitor.page.keyboard.insert_text("\nMINE = True\n")
    visitor.page.click("#take")
    expect(visitor.page.locator("#timeline")).to_contain_text("You answered: edit")
    visitor.wait("finished")
    outcome = app.outcome(run_id)
    assert "MINE = True" in outcome["code"]
    assert outcome["verdict"] == "verified"
    assert outcome["status"] == "done"


def test_a_choice_says_who_gives_it_and_settles_the_task(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.ask(get_scenario("ambiguous_task").task, autonomy="Review repairs")  # type: ignore[union-attr]
    visitor.wait("waiting")
    expect(visitor.page.locator("#pause")).to_contain_text("Which answer do you expect?")
    choice = visitor.page.locator("#ticks label").filter(has_text="Second opinion")
    expect(choice).to_have_count(1)
    choice.click()
    visitor.page.click("#approve")
    visitor.wait("finished")
    assert app.outcome(run_id)["verdict"] == "verified"


def test_two_attempts_stand_side_by_side_and_so_do_two_runs(visit: Visit):
    visitor = visit()
    first = _finished(visitor, "roman_numerals")
    visitor.do("expand")
    shown = visitor.page.locator(".compared")
    expect(shown).to_contain_text("9 of 14")
    expect(shown).to_contain_text("only “Repair 1” passes it")
    expect(shown.locator(".diff-add").first).to_be_visible()
    visitor.do("retry")
    visitor.page.wait_for_url(lambda url: first not in url)
    expect(visitor.page.locator("#compare")).to_be_hidden()
    visitor.wait("running")
    visitor.wait("finished")
    visitor.do("expand")
    visitor.page.locator("#compare-left input").click()
    visitor.page.get_by_role("option", name="(Verified)").first.click()
    expect(shown).to_contain_text("Model calls")
    expect(shown).to_contain_text("The code is the same.")
    assert visitor.errors == []


def test_a_run_that_is_opened_never_stands_under_the_verdict_of_the_one_before(visit: Visit):
    visitor = visit()
    first = _finished(visitor, "slugify")
    visitor.page.evaluate("""
      window.mixed = [];
      new MutationObserver(() => {
        const shown = document.querySelector('#title [data-run]').dataset.run;
        if (!location.href.includes(shown) && document.documentElement.dataset.view === 'run') window.mixed.push(shown);
      }).observe(document.querySelector('#strip'), {childList: true, subtree: true, characterData: true});
    """)
    visitor.do("retry")
    visitor.page.wait_for_url(lambda url: first not in url)
    visitor.wait("running")
    visitor.wait("finished")
    assert visitor.page.evaluate("window.mixed") == []


def test_the_skip_link_leads_to_the_task(visit: Visit):
    visitor = visit()
    visitor.page.locator(".skip").focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("#task textarea")).to_be_focused()


def test_a_press_takes_one_request_and_its_answer_shows_the_run(visit: Visit):
    visitor = visit()
    visitor.page.wait_for_load_state("networkidle")
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url) if "queue/join" in request.url else None)
    visitor.start("slugify")
    visitor.wait("finished")
    assert len(asked) == 1


def test_back_and_forward_go_between_the_first_screen_and_the_runs(visit: Visit):
    visitor = visit()
    first = _finished(visitor, "slugify")
    visitor.page.click("#title [data-do=clear]")
    second = _finished(visitor, "fix_this_code")
    visitor.page.go_back()
    expect(visitor.page.locator("#run")).to_be_visible()
    visitor.page.go_back()
    expect(visitor.page.locator(f"#title [data-run='{first}']")).to_be_visible()
    visitor.page.go_forward()
    expect(visitor.page.locator("#run")).to_be_visible()
    visitor.page.go_forward()
    expect(visitor.page.locator(f"#title [data-run='{second}']")).to_be_visible()
    assert visitor.run_id == second
    assert visitor.errors == []


@pytest.mark.parametrize("leave", ["#title [data-do=clear]", "#actions [data-do=edit]"])
def test_a_run_that_one_comes_back_to_can_be_run_again(visit: Visit, leave: str):
    visitor = visit()
    first = _finished(visitor, "slugify")
    visitor.page.click(leave)
    expect(visitor.page.locator("#run")).to_be_visible()
    visitor.page.go_back()
    visitor.do("retry")
    visitor.page.wait_for_url(lambda url: "run=" in url and first not in url)
    visitor.wait("finished")
    expect(visitor.page.locator(".toast-body")).to_have_count(0)


def test_the_editor_of_one_run_does_not_stand_over_another(visit: Visit):
    visitor = visit()
    first = _finished(visitor, "slugify")
    visitor.page.click("#title [data-do=clear]")
    _finished(visitor, "fix_this_code")
    visitor.page.click("#program [data-do=edit]")
    expect(visitor.page.locator("#editor-code")).to_be_visible()
    visitor.page.go_back()
    expect(visitor.page.locator("#run")).to_be_visible()
    visitor.page.go_back()
    expect(visitor.page.locator(f"#title [data-run='{first}']")).to_be_visible()
    expect(visitor.page.locator("#editor-code")).to_be_hidden()


def test_an_explanation_stands_where_a_program_would(visit: Visit):
    visitor = visit()
    _finished(visitor, "explain_code")
    expect(visitor.page.locator("#program .explanation")).to_contain_text("turns a title into a slug")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_a_run_is_played_again_with_every_name_to_be_read(visit: Visit, scheme: str):
    visitor = visit(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, color_scheme=scheme)
    _finished(visitor, "honest_failure")
    for name in visitor.page.locator(".matrix-row:visible .check-name").all():
        assert name.evaluate("one => one.scrollWidth <= one.clientWidth")
    visitor.do("play")
    expect(visitor.page.locator("#player-close")).to_be_visible()
    box = visitor.page.locator("#player").bounding_box()
    assert box
    assert box["height"] < 130
    visitor.page.click("#player-play")
    visitor.wait("running")
    visitor.page.click("#player-skip")
    visitor.wait("finished")
    visitor.page.click("#player-close")
    expect(visitor.page.locator("#player")).to_be_hidden()


def _finished(visitor: Visitor, example: str) -> str:
    run_id = visitor.start(example)
    visitor.wait("finished")
    return run_id
