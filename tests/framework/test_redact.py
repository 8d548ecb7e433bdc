"""Secrets stay out of texts, logs, copies and tracebacks."""

from __future__ import annotations

import copy
import io
import json
import logging
import pickle

import pytest

from framework.log import RUN_ID, setup_logging
from framework.secret import Redactor, Secret

KEY = "correct-horse-battery"


class Kept(logging.Handler):
    """A handler that comes after ours and formats records in its own way."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def logged() -> object:
    """Restores the root logger afterwards."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers, root.level = handlers, level


def test_a_secret_shows_itself_only_on_request() -> None:
    secret = Secret(KEY)
    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r:>5}", "%s" % secret, json.dumps([secret])]  # noqa: UP031
    copies = [copy.copy(secret), copy.deepcopy(secret), pickle.loads(pickle.dumps(secret))]
    assert not any(KEY in text for text in [*shown, *map(str, copies)])
    assert secret.reveal() == copies[1].reveal() == KEY


def test_known_secrets_are_masked_everywhere_in_a_record() -> None:
    redactor = Redactor([Secret(KEY), Secret(f"{KEY}-longer"), Secret("ab")])
    record = {"text": f"a {KEY}-longer b", KEY: [KEY, {"deep": (KEY, 1, None)}], "n": 1.5, "ab": "ab"}
    masked = {"text": "a *** b", "***": ["***", {"deep": ["***", 1, None]}], "n": 1.5, "ab": "ab"}
    assert redactor.data(record) == masked
    redactor.learn(Secret("brought-later"))
    assert redactor.data({"a": "brought-later"}) == {"a": "***"}


def test_a_record_without_known_secrets_is_not_touched_even_if_it_is_about_keys() -> None:
    record = {"code": 'assert mask("sk-abcdefghijklmnopqrstu") == "***"'}
    assert Redactor([Secret(KEY)]).data(record) == record


@pytest.mark.parametrize(
    "text",
    [
        "sk-ant-api03-abcdefghijklmnop_qrst",
        "sk-proj-abcdefghijklmnopqrst",
        "hf_abcdefghijklmnopqrstuv",
        "gsk_abcdefghijklmnopqrstuv",
        "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
        "github_pat_abcdefghijklmnopqrstuv",
        "lsv2_pt_abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop",
    ],
)
def test_what_looks_like_a_key_is_masked_in_messages(text: str) -> None:
    assert Redactor().text(f"refused: {text}.") == "refused: ***."


def test_bearer_tokens_and_passwords_in_addresses_are_masked() -> None:
    text = "Authorization: Bearer abcdefghijklmnop at https://me:pa55@host/x"
    assert Redactor().text(text) == "Authorization: Bearer *** at https://***@host/x"


def test_ordinary_words_are_not_masked() -> None:
    text = "ask-for-more task-list-of-twenty-items, http://localhost:8000/a@b and the bearer of news"
    assert Redactor().text(text) == text


@pytest.mark.usefixtures("logged")
def test_log_lines_carry_their_run_and_no_secret_not_even_in_tracebacks() -> None:
    stream = io.StringIO()
    setup_logging(Redactor([Secret(KEY)]), level="INFO", as_json=True, stream=stream)
    later = Kept()
    logging.getLogger().addHandler(later)
    token = RUN_ID.set("run-1")
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError:
        logging.getLogger("x").exception("failed with %s", KEY)
    RUN_ID.reset(token)
    logging.getLogger("x").info("plain")
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (first["run_id"], first["message"], first["level"]) == ("run-1", "failed with ***", "error")
    assert "ValueError: bad key ***" in first["error"]
    assert (second["run_id"], second["message"]) == ("", "plain")
    assert KEY not in stream.getvalue()
    assert KEY not in repr([(record.getMessage(), record.exc_info, record.exc_text) for record in later.records])


@pytest.mark.usefixtures("logged")
def test_setting_up_logging_twice_writes_each_line_once() -> None:
    stream = io.StringIO()
    for _ in range(2):
        setup_logging(Redactor(), level="INFO", stream=stream)
    logging.getLogger("x").info("once %d", 1)
    assert stream.getvalue().count("once 1") == 1
