# Each target is one command a person can also type. `uv` makes the environment; nothing else needs to be installed.
UV ?= uv
DEV = $(UV) run --group dev

.PHONY: help run demo local test check lint types imports browser differential mutants corpus fix bench bench-store bench-sandbox bench-trials bench-run \
  bench-router bench-screen bench-local bench-load bench-tokens bench-workers pictures docs kinds constraints pythons

help:           ## tell what there is
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' Makefile

run:            ## open the app
	$(UV) run app.py

demo:           ## open the app with the scripted demo model, no key needed
	LLM_PROVIDER=mock $(UV) run app.py

local:          ## add what local weights need: the CPU build of torch where there is no GPU (TORCH=cu130 names another)
	$(UV) sync --inexact
	$(UV) pip install --torch-backend=$(or $(TORCH),auto) -r requirements.txt

test:           ## the quick tests
	$(DEV) pytest

lint:
	$(DEV) ruff format --check .
	$(DEV) ruff check .

types:
	$(DEV) pyright
	$(DEV) pyright -p tests

imports:
	$(DEV) lint-imports

browser:        ## drive the app in chromium
	$(DEV) pytest -n 2 -m browser

pictures:       ## take the pictures of the README from the app itself
	$(DEV) python -m tests.browser.pictures

docs:           ## write the generated parts of the documents: commands, settings, the diagram
	$(DEV) python -m tests.docs

kinds:          ## fit the weights by which kinds of tasks are told to the labelled tasks
	$(DEV) python -m tests.agent.examples.kinds_labelled --write

constraints:    ## take the newest versions of the packages that ours bring along
	$(DEV) python -m tests.constraints

differential:   ## what the sandbox says of ordinary programs, check by check beside plain pytest (minutes)
	$(DEV) pytest -m differential

pythons:        ## what the sandbox says under newer interpreters (uv fetches those that are not at hand)
	for version in 3.12 3.13 3.14; do $(UV) run --isolated --python $$version --group dev pytest tests/sandbox || exit 1; done

corpus:         ## every bug report, hostile reply, performance task and bundled problem, of which CI runs a part (an hour)
	$(DEV) pytest -n 1 -m corpus

mutants:        ## break the policy, or other rooms, in drawn places and list what no test noticed (an hour; ROOMS=agent/nodes COUNT=60 SEED=2 BUDGET=15)
	$(DEV) python -m tests.mutants $(or $(ROOMS),agent/trust) --count $(or $(COUNT),100) --seed $(or $(SEED),1) --budget $(or $(BUDGET),120)

check: test lint types imports browser  ## what CI does
	.ci/space
	$(DEV) pytest -m "(slow or differential) and not corpus"

fix:
	$(DEV) ruff check --fix .
	$(DEV) ruff format .

bench:          ## ratios of speed and memory against peers, each with its bar; DATA=humaneval.jsonl for its tasks
	$(MAKE) --keep-going bench-store bench-sandbox bench-trials bench-run bench-router bench-screen bench-local bench-tokens

bench-store:    ## list and search 100,000 stored runs, and what a durable run costs; DATABASE=postgresql://... (an empty one) to measure that, too
	$(DEV) python -m tests.benches.store $(DATABASE)
	$(DEV) python -m tests.benches.manager $(DATABASE)

bench-sandbox:
	$(DEV) --extra bench python -m tests.benches.sandbox $(if $(DATA),--data $(DATA))

bench-trials:   ## 164 known answers graded beside evalplus and inspect_ai (which gets an environment of its own)
	$(DEV) --extra bench python -m tests.benches.trials $(if $(DATA),--data $(DATA))

bench-run:
	$(DEV) python -m tests.benches.run

bench-workers:  ## 200 different runs at once on two workers, against what they should take; ARGS=--postgres for that
	$(DEV) --extra scale python -m tests.benches.workers $(ARGS)

bench-router:
	$(DEV) python -m tests.benches.router

bench-screen:
	$(DEV) python -m tests.benches.screen
	$(DEV) python -m tests.benches.page

bench-tokens:   ## what models read in a run, by role, from fixed replies
	$(DEV) python -m tests.benches.tokens

bench-local:    ## local models of random weights against plain `generate`, their grammar and their loads
	$(UV) run --inexact --no-sync python -m tests.benches.local

bench-load:     ## whether a busy machine changes a verdict: every scenario 10 times, alone and beside busy loops (an hour)
	$(DEV) python -m tests.benches.load
