# `make demo` and `make test` set up what they need by themselves, in $(VENV).

VENV ?= .venv
# The first Python that is new enough and can make a virtual environment.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	$$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& echo $$p && break; done)
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := fixtures/demo/incident.requests.jsonl

.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs update bench quality clean

help:  ## what there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 10

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with its venv module is needed; name it with PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q ctxaudit  # where Python may write no caches it would start slowly
	@touch $@

demo: $(READY)  ## scan the shipped example
	@$(BIN)/ctxaudit scan $(DEMO); code=$$?; \
	test $$code -eq 1 && echo "exit code 1 = violations found, as this example should" || exit $$((code + 1))

test: lint  ## linter, formatter check, type checker, tests
	@$(BIN)/python -m pytest

lint: $(READY)  ## linter, formatter check, type checker
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(READY)  ## fix what can be fixed
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(READY)  ## write the generated pages
	@$(BIN)/python docs/gen_rules.py
	@$(BIN)/python docs/gen_screenshot.py

update: docs  ## accept today's output as the expected one; read the diff
	@$(BIN)/python -m pytest --update

bench: $(READY)  ## speed as ratios
	@$(BIN)/python -m tests.benchmarks

quality: $(READY)  ## recall and precision on labelled logs
	@$(BIN)/python -m tests.quality

clean:  ## remove what was set up
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache
