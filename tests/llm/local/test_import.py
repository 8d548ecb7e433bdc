"""Naming the local provider costs nothing: what is heavy is imported by the first model that loads."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"torch", "transformers", "llguidance", "huggingface_hub", "spaces", "tokenizers"}


def test_importing_the_provider_imports_nothing_heavy() -> None:
    code = "import sys, llm.providers.huggingface; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
