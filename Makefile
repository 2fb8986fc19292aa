# Two commands matter: `make book` and `make test`. Both install what is missing first.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
FETCHED := .cache/.fetched

# One thread per core and no more: two busy pools on two cores are several times slower than one.
export OMP_NUM_THREADS ?= $(shell nproc 2>/dev/null || echo 2)
# Notebook kernels talk over sockets of this machine only.
export PYDEVD_DISABLE_FILE_VALIDATION := 1

.PHONY: help book test lab install fetch lint verify-corpus bench browser clean

help:
	@echo "make book           install, run every notebook, build the book"
	@echo "make test           install, check the code, run all tests"
	@echo "make lab            open the notebooks in JupyterLab"
	@echo "make verify-corpus  install the toolchains, run the parallel code in all four languages"
	@echo "make bench          run the benchmarks"
	@echo "make clean          remove what was built (the cache and .venv stay)"

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

fetch: $(FETCHED)

$(FETCHED): $(STAMP) data/models.toml data/corpora.toml reproutils/book.py reproutils/fetch.py
	$(BIN)/reproutils fetch
	mkdir -p $(@D)
	touch $@

book: $(FETCHED)
	$(BIN)/reproutils book

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/reproutils pair --check

# Chromium comes from Debian; where it cannot be installed the browser tests say why they are skipped.
browser:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "chromium is missing: apt-get install chromium (the browser tests will be skipped)"

# Fast tests first; then the notebooks at smoke size; then the book, built and opened.
test: lint $(FETCHED) browser
	REPROUTILS_OFFLINE=1 $(BIN)/python -m pytest -q -m "not notebook and not book and not browser"
	REPROUTILS_OFFLINE=1 $(BIN)/python -m pytest -q -m notebook
	REPROUTILS_OFFLINE=1 $(BIN)/reproutils book
	$(BIN)/python -m pytest -q -m "book or browser"

lab: $(FETCHED)
	$(BIN)/jupyter lab --notebook-dir=notebooks

verify-corpus: $(STAMP)
	[ "$$(id -u)" != 0 ] || { apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs default-jdk-headless golang-go >/dev/null; }
	$(BIN)/reproutils corpora verify

bench: $(FETCHED)
	$(BIN)/python -m benchmarks

clean:
	rm -rf _build book/runs runs book/_static/mathjax build dist
