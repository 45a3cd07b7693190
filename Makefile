# Every target sets up what it needs in .venv of this checkout. Nothing but Python 3.11 or newer and make is expected.
SHELL := /bin/sh
.SHELLFLAGS := -eu -c
.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench peers soak docs contract lock clean

PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

help: ## Show these lines
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1\t\2/' | expand -t 16

$(VENV)/made:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run: $(VENV)/made requirements/run.txt pyproject.toml
	@echo "Installing what Postroad needs into $(VENV) …"
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev: $(VENV)/run requirements/dev.txt
	@echo "Installing the tools for tests and checks …"
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

setup: $(VENV)/dev ## Install Postroad and its tools into .venv

demo: $(VENV)/run ## Send to 10,000 people through a lossy receiver, killed in the middle
	@$(BIN)/postroad demo

test: $(VENV)/dev ## Run the tests, a process per core (real servers come from wheels)
	@$(BIN)/python -m pytest -n $(or $(TEST_PROCESSES),auto) --dist loadfile

check: $(VENV)/dev ## Lint, types, import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/dev ## Put the code into its form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/dev ## Measure the table of docs/reference/performance.md
	@$(BIN)/python -m benchmarks

peers: $(VENV)/dev ## Tests against servers from Debian (nginx, postfix); installs them
	@$(BIN)/python -m tests.peers.install
	@$(BIN)/python -m pytest tests/peers

soak: $(VENV)/dev ## The long campaigns: kills, power losses, full disks, mutants
	@$(BIN)/python -m pytest -s tests/soak

docs: $(VENV)/dev ## Generate docs/reference from the program's own tables
	@$(BIN)/python -m postroad.app.reference docs/reference

contract: $(VENV)/dev ## Write contracts/openapi.yaml from the routes of the service
	@$(BIN)/python -m postroad.app.contract contracts/openapi.yaml

lock: $(VENV)/made ## Pin the dependencies again
	@$(PIP) install uv
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml requirements/build.in -o requirements/run.txt
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml requirements/build.in --group dev -o requirements/dev.txt

clean: ## Remove what the targets made
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
