# On a machine with Python 3.11 or later and make: `make demo` and `make test` do everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Stamps tell what is installed already, and since which version of the files that say so.
BASE := $(VENV)/.base
DEV := $(VENV)/.dev
# Peers have many dependencies of their own, so they live apart.
PEERS := .venv-peers/bench
INTEGRATIONS := .venv-integrations
PANDAS2 := .venv-pandas2
LOWEST := .venv-lowest
LATEST := .venv-latest
DIST := .venv-dist
# Percent of branches and lines that the tests must reach.
FLOOR := 98

.PHONY: demo setup test test-spark test-integrations test-lowest test-latest fuzz lint types docs dist bench peers contention training clean

demo: $(BASE)
	@$(BIN)/calibrant demo

setup: $(DEV)

# Where CI is set, coverage is measured too, which takes a third longer.
test: $(DEV)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto \
		$(if $(CI),--cov --cov-report=term:skip-covered --cov-fail-under=$(FLOOR))

# Apart, as it needs a Java runtime: Debian's is default-jre-headless.
test-spark: $(DEV)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q tests/scale/spark

# Hostile calls, files and commands by the ten thousand; make fuzz CASES=100000 SEED=7 for others.
CASES ?= 20000
SEED ?= 0
fuzz: $(DEV)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/support/campaign.py --cases $(CASES) --seed $(SEED)

# Apart, as MLflow, evaluate and Inspect bring many packages of their own; and apart from these, Evidently and Modin
# want a pandas of before 3.
test-integrations: $(INTEGRATIONS)/.ready $(PANDAS2)/.ready
	OPENBLAS_NUM_THREADS=1 $(INTEGRATIONS)/bin/python -m pytest -q tests/integrations/real src/calibrant/integrations
	OPENBLAS_NUM_THREADS=1 $(PANDAS2)/bin/python -m pytest -q tests/integrations/pandas2 src/calibrant/integrations/evidently.py

# The oldest versions that pyproject.toml allows.
test-lowest: $(LOWEST)/.ready
	OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -q -n auto

# The newest of today, but for torch, of which one version is tested.
test-latest: $(LATEST)/bin/python
	$(LATEST)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade --upgrade-strategy eager \
		--editable ".[all,test]" torch==2.13.0
	OPENBLAS_NUM_THREADS=1 $(LATEST)/bin/python -m pytest -q -n auto

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

# The site, into site/; a warning is an error, and so is a link that leads nowhere.
docs: $(DEV)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	$(BIN)/python docs/site/links.py site

# Wheel and sdist; then the wheel in an empty environment, and what a user sees first.
dist: $(DIST)/.ready
	rm -rf dist
	$(DIST)/bin/python -m build --no-isolation
	$(DIST)/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv --clear $(DIST)/empty
	$(DIST)/empty/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	cd $(DIST)/empty && bin/calibrant demo

# The tasks that others solve too, each library in an environment of its own; the first time builds them, some minutes.
peers: $(DEV)
	PYTHONPATH=benchmarks $(BIN)/python -m peers.study

# What busy neighbours cost, ours and theirs; some minutes on an idle machine.
contention: peers
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/contention.py

bench: $(PEERS)/.ready peers contention
	for study in speed one_chance_speed many_classes kernels kernel_consistency bandwidths synthetic unseen intervals power \
			debiasing decisions groups monitoring shift vector_errors known_truth choice pseudo_real real_claims rounded_claims calibrated_models smooth_settings kernel_rows free_knots published arena first_fits verdicts triples training/streaming; do \
		PYTHONPATH=benchmarks $(PEERS)/bin/python benchmarks/$$study.py || exit; \
	done

# What is missing of the small training study, hours on one core, then its pages.
training: $(DEV)
	PYTHONPATH=benchmarks $(BIN)/python -m training.study --size small
	for page in causes losses history; do \
		PYTHONPATH=benchmarks $(BIN)/python -m training.$${page}_page || exit; \
	done

clean:
	rm -rf site dist $(VENV) .venv-peers $(INTEGRATIONS) $(PANDAS2) $(LOWEST) $(LATEST) $(DIST) .mypy_cache .pytest_cache .ruff_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(BASE): $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing calibrant into $(VENV) ..."
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(DEV): $(BASE)
	@echo "Installing what the tests need ..."
	$(PIP) install --constraint constraints.txt --editable ".[dev]"
	@touch $@

$(INTEGRATIONS)/.ready: pyproject.toml constraints.txt
	@echo "Installing the packages to work with into $(INTEGRATIONS) ..."
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt \
		--editable ".[integrations]" pytest hypothesis
	@touch $@

$(PANDAS2)/.ready: pyproject.toml constraints.txt
	@echo "Installing the packages that want an older pandas into $(PANDAS2) ..."
	$(PYTHON) -m venv $(PANDAS2)
	sed 's/^pandas==.*/pandas==2.3.3/' constraints.txt >$(PANDAS2)/constraints.txt
	$(PANDAS2)/bin/python -m pip --disable-pip-version-check --quiet install --constraint $(PANDAS2)/constraints.txt \
		--editable ".[evidently]" modin pytest hypothesis
	@touch $@

$(LOWEST)/.ready: pyproject.toml constraints-lowest.txt
	@echo "Installing the oldest versions into $(LOWEST) ..."
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints-lowest.txt \
		--editable ".[all,test]"
	@touch $@

$(LATEST)/bin/python:
	$(PYTHON) -m venv $(LATEST)

$(DIST)/.ready: constraints.txt
	@echo "Installing what builds archives into $(DIST) ..."
	$(PYTHON) -m venv $(DIST)
	$(DIST)/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt \
		build hatchling twine
	@touch $@

$(PEERS)/.ready: pyproject.toml constraints.txt
	@echo "Installing the peers to compare with into $(PEERS) ..."
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt \
		--editable ".[torch]" netcal probmetrics numba probcal pwlf==2.7.0 venn-abers
	@touch $@
