# Each target is one command a person can also type. `uv` makes the environment; nothing else needs to be installed.
UV ?= uv
DEV = $(UV) run --group dev

.PHONY: run demo test check lint types imports browser fix bench

run:            ## open the app
	$(UV) run app.py

demo:           ## open the app with the scripted demo model, no key needed
	LLM_PROVIDER=mock $(UV) run app.py

test:           ## the quick tests
	$(DEV) pytest

lint:
	$(DEV) ruff format --check .
	$(DEV) ruff check .

types:
	$(DEV) pyright

imports:
	$(DEV) lint-imports

browser:        ## drive the app in chromium
	$(DEV) pytest -n 0 -m browser

check: test lint types imports browser  ## what CI does
	.ci/space
	$(DEV) pytest -n 2 -m slow

fix:
	$(DEV) ruff check --fix .
	$(DEV) ruff format .

bench:          ## ratios of speed and memory against peers, measured in one run
	$(DEV) --extra bench python -m sandbox.bench
	$(DEV) python -m evaluation.bench
	$(DEV) python -m llm.bench
	$(DEV) python -m demo.bench
