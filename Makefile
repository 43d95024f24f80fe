# Everything a user or a developer runs. Only Python 3.11 or newer is needed beforehand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCKED := install --require-hashes --only-binary :all: -r
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --only-binary :all: -r
# Tests run side by side, those of a file on one desk. Each process has a Temporal server for all its
# tests, with a namespace for each, besides those that whole desks start. These wait for most of
# their time, so there are twice as many processes as processors. Files run in the order of
# tests/conftest.py, which has the long ones before the short ones.
SIDE_BY_SIDE := --numprocesses 4 --dist loadfile --no-loadscope-reorder
PACKAGES := desk workflows activities workers starters mcp_servers
PROJECT := install --no-deps --no-build-isolation --editable .

.PHONY: axe docs run standins test tests others check lint types trust money bench scale eval graph-scenarios swarm-scenarios faults soak train-example lock clean install install-live install-swarm install-episodes install-train install-memory install-chroma install-deliver install-pdf install-frames install-observe install-peers install-dev

run: install  ## research the latest complete week and leave its report in reports/weekly
	@$(BIN)/desk run

standins: install-dev  ## answer for the providers of all sources, without a network; prints how to run the desk with it
	@$(BIN)/python -m tests.standins

test: install-dev lint  ## everything that CI runs
	@$(MAKE) --no-print-directory --jobs 2 types tests

# Hundreds of processes import the same: what each compiled is kept, whatever the shell says.
tests: export PYTHONDONTWRITEBYTECODE :=
# Processes side by side have the processors: threads of numpy's would wait for one another by
# turning round, in two and a half times the processor time where meanings are compared.
tests: export OPENBLAS_NUM_THREADS := 1
tests: install-dev
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

docs: install-dev  ## the documentation as a site in site/, every link of it checked
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "$(CURDIR)/site/index.html"

others: install-dev  ## servers and packages of others, installed and tried: lseg-data, rba-mcp, bedrok, … (the first time an hour, then half of one)
	@$(BIN)/python -m tests.support.models.smallest_model
	$(BIN)/python -m pytest --verbose --durations 10 -m others tests/integration

check: lint types  ## formatting, lint, types

lint: install-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: install-dev
	$(BIN)/mypy

trust: install-dev  ## seed errors and conflicts, count what is caught, write docs/evidence.md
	$(BIN)/python -m tests.trust

money: install-dev  ## kill a desk 200 times while a model bills every request; what was allowed, billed and told
	$(BIN)/python -m tests.money

bench: install-dev install-peers  ## a week beside the engine's floor, and that beside the engines of others; work going on after a kill; fifty past weeks side by side, two years in order; messages; steps of episodes
	$(BIN)/python -m tests.bench.week
	$(BIN)/python -m tests.bench.peers
	$(BIN)/python -m tests.bench.recovery
	$(BIN)/python -m tests.bench.many_weeks --no-learning
	$(BIN)/python -m tests.bench.many_weeks --weeks 104 --first 2024-W44
	$(BIN)/python -m tests.bench.messages
	$(BIN)/python -m tests.bench.episodes

scale: install-dev  ## weeks of 38 to 2,000 markets with empty sources, and how what they take grows (ten minutes or more)
	$(BIN)/python -m tests.bench.scale

eval: install-dev  ## tasks with known answers, by the built-in analyst and by honest, careless and hostile models
	@$(BIN)/python -m tests.evaluation

graph-scenarios: install-dev  ## questions asked while sources fail and processes are killed; their accuracy; fifty at once
	$(BIN)/python -m tests.scenarios

swarm-scenarios: install-dev  ## objectives researched side by side, while specialists fail and processes are killed
	$(BIN)/python -m tests.swarm_scenarios

faults: install-dev  ## every fault by program, from outside; writes docs/survival.md (some 25 minutes)
	$(BIN)/python -m tests.faults

soak: install-dev  ## half an hour of weeks, reruns and questions while processes are killed
	$(BIN)/python -m tests.faults.soak

train-example: install-train  ## train a small policy for a minute, and hold it against others on later dates
	@$(BIN)/python -m desk.training.example

lock: install-dev  ## pin what pyproject.toml asks for, with hashes
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra live --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-live.lock
	$(BIN)/uv pip compile pyproject.toml --extra swarm --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-swarm.lock
	$(BIN)/uv pip compile pyproject.toml --extra episodes --constraint requirements.lock --constraint requirements-swarm.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-episodes.lock
	$(BIN)/uv pip compile pyproject.toml --extra train --constraint requirements.lock --constraint requirements-swarm.lock --constraint requirements-episodes.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-train.lock
	$(BIN)/uv pip compile pyproject.toml --extra memory --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-memory.lock
	$(BIN)/uv pip compile pyproject.toml --extra chroma --constraint requirements.lock --constraint requirements-memory.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-chroma.lock
	$(BIN)/uv pip compile pyproject.toml --extra deliver --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-deliver.lock
	$(BIN)/uv pip compile pyproject.toml --extra pdf --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-pdf.lock
	$(BIN)/uv pip compile pyproject.toml --extra peers --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-peers.lock
	$(BIN)/uv pip compile pyproject.toml --extra observe --constraint requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-observe.lock
	$(BIN)/uv pip compile pyproject.toml --extra frames --constraint requirements.lock --constraint requirements-swarm.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-frames.lock
	$(BIN)/uv pip compile pyproject.toml --extra live --extra deliver --extra observe --extra swarm --extra episodes --extra memory --extra frames --extra dev --constraint requirements-live.lock --constraint requirements-swarm.lock --constraint requirements-episodes.lock --constraint requirements-memory.lock --constraint requirements-deliver.lock --constraint requirements-observe.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements-dev.lock

axe: install-dev  ## accessibility of the pages by axe-core, which npm fetches; needs a Chromium
	@npm install --silent --no-save --prefix .desk/axe axe-core@4.14.1
	@$(BIN)/python -m tests.axe .desk/axe/node_modules/axe-core/axe.min.js

install: $(VENV)/.installed

install-live: install  ## what the live sources need besides: Yahoo Finance, news feeds
	@$(PIP) $(LOCKED) requirements-live.lock

install-swarm: install  ## what the specialists of `desk swarm` compute with, and the series that come with it
	@$(PIP) $(LOCKED) requirements-swarm.lock

install-episodes: install-swarm  ## the environment of stock episodes for Gymnasium, and their export
	@$(PIP) $(LOCKED) requirements-episodes.lock

install-train: install-swarm  ## what trains a policy: Stable-Baselines3, PyTorch (some gigabytes)
	@$(PIP) $(LOCKED) requirements-train.lock

install-memory: install  ## a small model of meaning for the desk's memory
	@$(PIP) $(LOCKED) requirements-memory.lock

install-chroma: install  ## the desk's memory in Chroma
	@$(PIP) $(LOCKED) requirements-chroma.lock

install-pdf: install  ## WeasyPrint, for `desk report --pdf` without a browser
	@$(PIP) $(LOCKED) requirements-pdf.lock

install-frames: install  ## pandas, for what is published as frames in Python
	@$(PIP) $(LOCKED) requirements-frames.lock

install-deliver: install  ## what it takes to put reports into a bucket
	@$(PIP) $(LOCKED) requirements-deliver.lock

install-observe: install  ## what sends traces to a collector
	@$(PIP) $(LOCKED) requirements-observe.lock

# In an environment of their own: what they need has other versions of the desk's libraries.
install-peers: install-dev  ## the engines of others, LangGraph and DBOS, for `make bench`
	@test -x $(VENV)/peers/bin/python || $(PYTHON) -m venv $(VENV)/peers
	@$(VENV)/peers/bin/python -m pip --disable-pip-version-check --quiet $(LOCKED) requirements-peers.lock

install-dev: $(VENV)/.installed-dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing $$(grep -c == requirements.lock) locked packages into $(VENV): a minute or two"
	@$(PIP) $(LOCKED) requirements.lock
	@$(PIP) $(PROJECT)
	@$(BIN)/python -m compileall -q $(PACKAGES)
	@touch $@

# uv, which is locked with the others, installs them in a tenth of pip's time. It knows nothing of
# pip's settings: where those name an index that it would have to ask, pip does it.
$(VENV)/.installed-dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing $$(grep -c == requirements-dev.lock) locked packages into $(VENV): a minute or two"
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock > $(VENV)/uv.lock
	@$(PIP) $(LOCKED) $(VENV)/uv.lock
	@$(UV) requirements-dev.lock || $(PIP) $(LOCKED) requirements-dev.lock
	@$(PIP) $(PROJECT)
	@$(BIN)/python -m compileall -q $(PACKAGES)
	@touch $(VENV)/.installed $@

clean:  ## remove the environment and everything that was cached; reports stay
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache
