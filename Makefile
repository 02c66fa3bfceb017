# Every target makes what it needs, from a bare clone with only make, git and Python 3.11 or newer:
# the virtual environment in .venv follows the pinned, hashed requirements.

PYTHON ?= python3
PYTEST_ARGS ?= --numprocesses auto

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
STARTER := src/ophiuchus/commands/starter/workflow.yml
EXAMPLES := $(wildcard examples/workflows/*.yml)
SHELL_SCRIPTS := .ci/run $(wildcard .ci/*.sh)

.DEFAULT_GOAL := help
.PHONY: help demo test lint format venv node-packages docs site benchmark lock image test-container clean
.DELETE_ON_ERROR:

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

demo: $(VENV)/.runtime ## Build a small repository in demo/, check its capsules, write demo/report.html
	PYTHONPATH=src $(BIN)/python examples/demo.py

test: $(VENV)/.dev ## Run the tests (PYTEST_ARGS takes other arguments for pytest)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev ## Run every linter and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PATH="$(BIN):$$PATH" actionlint
	PATH="$(BIN):$$PATH" actionlint $(STARTER) $(EXAMPLES)
	$(BIN)/zizmor --offline --no-progress --persona auditor . $(STARTER) $(EXAMPLES)
	$(BIN)/hadolint Dockerfile
	PATH="$(BIN):$$PATH" shellcheck $(SHELL_SCRIPTS)

format: $(VENV)/.dev ## Lay the code out
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

venv: $(VENV)/.dev ## Make .venv with everything that development needs, and the ophiuchus command
	@echo "$(BIN)/ophiuchus is ready"

node-packages: ## Install what some tests need of node (needs npm; without it they are skipped)
	for file in $$(git ls-files 'tests/*package.json'); do \
		npm ci --prefix "$$(dirname "$$file")" --no-audit --no-fund --loglevel=error || exit 1; \
	done

docs: $(VENV)/.dev ## Write what is made from other files: reference pages, the composite twin, the vectors
	$(BIN)/python tools/reference_pages.py
	$(BIN)/python tools/composite_action.py
	$(BIN)/python tools/write_vectors.py

site: $(VENV)/.dev ## Build the documentation as a site in site/; a link or an anchor that leads nowhere fails it
	$(BIN)/mkdocs build --quiet --strict --site-dir site

benchmark: $(VENV)/.dev ## Measure the command on a synthetic monorepo against plain git (a few minutes)
	$(BIN)/python benchmarks/measure.py

lock: $(VENV)/.dev ## Pin the requirements anew (needs the package index)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
		--generate-hashes --upgrade pyproject.toml --output-file requirements.txt
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
		--generate-hashes --upgrade requirements-dev.in --output-file requirements-dev.txt

image: ## Build the action's image (needs a docker engine)
	docker build --tag ophiuchus-action:local .

test-container: $(VENV)/.dev image ## Run the image as the runner does (needs a docker engine)
	CI_IMAGE=ophiuchus-action:local $(BIN)/python -m pytest tests/container

clean: ## Remove what the targets above made
	rm -rf $(VENV) demo site build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis

# One environment, filled in two steps, so that the demo does not wait for linters.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Ophiuchus needs Python 3.11 or newer; \`$(PYTHON)\` is $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one: make PYTHON=python3.13 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.txt | $(BIN)/python
	$(PIP_INSTALL) --requirement requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt pyproject.toml $(VENV)/.runtime | $(BIN)/python
	$(PIP_INSTALL) --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
