# `make run` and `make test` need python3 (3.11 or newer) and nothing else; `make help` lists the rest.
SHELL := /bin/sh
PYTHON ?= python3
BIN := .venv/bin
# Where evaluation data lies, when present.
DATA ?= ../shared/data
# Test processes.
WORKERS ?= 2
UV ?= uv
EXPORT := $(UV) export --quiet --locked --no-emit-project --no-header --no-annotate --format requirements-txt

.PHONY: help run test lint format docs pages eval bench size lock upgrade clean

help:
	@echo "make run      install and start the server (PORT=8080)"
	@echo "make test     install and run all tests (WORKERS=2, ARGS='-k name')"
	@echo "make lint     ruff, mypy --strict, import contracts, container and cluster files"
	@echo "make format   let ruff format and mend"
	@echo "make docs     build the documentation, warnings are errors"
	@echo "make pages    refill the generated parts of the documentation"
	@echo "make eval     evaluation gates on DATA=$(DATA)"
	@echo "make bench    speed and memory at 10,000 and 100,000 memories (ARGS=--quick, --compare, '--scale 1000000', '--postgres URL')"
	@echo "make size     size of the installed packages, against its limit"
	@echo "make lock     write requirements/ after a change of dependencies (needs uv)"
	@echo "make upgrade  the same, with the newest versions that fit"
	@echo "make clean    remove everything that was made"

run: .venv/.default
	$(if $(PORT),HINDSIGHT_PORT=$(PORT)) exec $(BIN)/hindsight serve $(ARGS)

test: .venv/.test
	$(PYTHON) scripts/browser.py
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/pre-commit validate-config .pre-commit-config.yaml
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec compose.yaml compose.embedded.yaml
	$(BIN)/kubernetes-validate --quiet --strict deploy/kubernetes/hindsight.yaml

format: .venv/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir build/site

pages: .venv/.default
	$(BIN)/python scripts/pages.py

eval: .venv/.default
	$(BIN)/python benchmarks/gates.py $(DATA) $(ARGS)

bench: .venv/.default
	$(BIN)/python benchmarks/run.py $(ARGS)

size:
	$(PYTHON) scripts/size.py

upgrade:
	$(UV) lock --upgrade
	$(MAKE) lock

lock:
	$(UV) lock
	$(EXPORT) --no-default-groups --group build --output-file requirements/default.txt
	$(EXPORT) --no-default-groups --group build --extra server --extra qdrant --extra tracing --output-file requirements/server.txt
	$(EXPORT) --no-default-groups --group build --group test --output-file requirements/test.txt
	$(EXPORT) --no-default-groups --group dev --output-file requirements/dev.txt
	$(EXPORT) --only-group uv --output-file requirements/uv.txt

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp a profile: installing again costs nothing until the packages or the project's own metadata change.
.venv/.%: requirements/%.txt requirements/uv.txt pyproject.toml scripts/install.py
	$(PYTHON) scripts/install.py $*
	@touch $@
