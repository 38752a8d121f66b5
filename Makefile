# The front door. Each target first sees to it that .venv is complete; nothing else is asked of the
# machine than a Python and make.

# The first of these that is 3.11 or newer makes .venv; `make PYTHON=python3.12 test` names one.
PYTHON ?= python3 python3.13 python3.12 python3.11

RUN = .venv/bin/python
INSTALL = $(RUN) -m pip install --quiet --quiet --disable-pip-version-check --only-binary numba,llvmlite -c constraints.txt

.PHONY: help demo test slow coverage check format bench paper clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s%s\n", $$1, $$2 }' Makefile

demo: .venv/.installed ## train, inspect and certify a model, in seconds
	@$(RUN) examples/demo.py

test: .venv/.installed ## run the tests and the examples in docstrings
	@$(RUN) -m pytest

slow: .venv/.installed ## run all tests, slow ones included
	@$(RUN) -m pytest -m ""

coverage: .venv/.installed ## run the tests and list the lines that none of them reaches
	@ROCSVM_LOOPS=numpy $(RUN) -m pytest --cov

check: .venv/.installed ## check format, lint, types and the direction of imports
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	.venv/bin/lint-imports --no-logo

format: .venv/.installed ## format the code and mend what the linter can
	$(RUN) -m ruff check --fix-only .
	$(RUN) -m ruff format .

bench: .venv/.rivals ## time models and searches beside others, on one thread; goes on where it stopped
	@for name in linear kernel cv; do \
	    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(RUN) -m benchmarks.$$name || exit 1; \
	done

paper: .venv/.installed ## run the paper's experiments into docs/paper; goes on where it stopped
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 .venv/bin/rocsvm paper --output docs/paper

clean: ## remove caches and build output; .venv stays
	rm -rf build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@for folder in src tests benchmarks examples; do \
	    [ ! -d $$folder ] || find $$folder -name __pycache__ -type d -prune -exec rm -rf {} +; \
	done

.venv/.installed: pyproject.toml constraints.txt
	@if ! $(RUN) -c 'import pip' 2>/dev/null; then \
	    for python in $(PYTHON) none; do \
	        $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	    done; \
	    if [ $$python = none ]; then \
	        echo "rocsvm needs Python 3.11 or newer with its venv module, and none of these is one: $(PYTHON)." >&2; \
	        echo "Install one (on Debian and Ubuntu also python3-venv), or name it: make PYTHON=/path/to/python" >&2; \
	        exit 1; \
	    fi; \
	    echo "Making .venv with $$python ..."; \
	    $$python -m venv --clear .venv; \
	fi
	@echo "Installing into .venv (once; about a minute) ..."
	@$(INSTALL) -e '.[fast,paper,test,dev]' || { \
	    echo "That failed, perhaps because Numba has no build for this platform. Trying without it ..." >&2; \
	    $(INSTALL) -e '.[test,dev]' && \
	    echo "Installed without Numba: the loops run in NumPy, slower. To try again: rm .venv/.installed" >&2; \
	}
	@touch $@

# Benchmarks leave out what is not there.
.venv/.rivals: .venv/.installed
	@if $(INSTALL) -e '.[bench]'; then touch $@; else echo "Going on without XGBoost." >&2; fi
