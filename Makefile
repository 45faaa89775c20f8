# `make train` and `make test` work on a fresh clone with Python 3.11 or later and nothing else prepared.
PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMP := .venv/installed

.DEFAULT_GOAL := help
.PHONY: help setup train test check bench play lock

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## make .venv and install everything; done again only when pyproject.toml or requirements.lock changed

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hotlap needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 setup")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
# torch first and alone, so that nothing else chooses another build of it
	$(PIP) install --quiet $$(grep '^torch==' requirements.lock)
	$(PIP) install --quiet -r requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

train: ## teach a car to drive
	@echo "not yet: training comes with a later release; today there is the racing world (see README.md)"

test: setup ## every test; ARGS='-m "not integration and not slow"' for the fast lane
	$(BIN)/python -m pytest $(ARGS)

check: setup ## lint, format, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup ## how fast the worlds run on this machine; ARGS=--peers compares
	$(BIN)/hotlap benchmark env $(ARGS)

play: ## race against it in the browser
	@echo "not yet: the game comes with a later release"

lock: setup ## write requirements.lock from what is installed in .venv
	@echo '# Every package Hotlap and its development tools need, at the versions they are tested with. Written by `make lock`.' > requirements.lock
	@$(PIP) freeze --all --exclude-editable | grep -v '^pip==' | sed 's/+[a-z0-9]*$$//' >> requirements.lock
	@touch $(STAMP)
