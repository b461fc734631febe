# Two commands do all the set-up: `make site` builds the site, `make test` runs every test. `make reproduce` makes the
# failures of the entries happen.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
export NO_MKDOCS_2_WARNING := 1

.PHONY: site serve check test reproduce clean

site: $(VENV)/.site-ready
	$(BIN)/mkdocs build --strict --quiet
	@echo "built site/index.html; 'make serve' shows it"

serve: $(VENV)/.site-ready
	$(BIN)/mkdocs serve

check: $(VENV)/.site-ready
	$(BIN)/faultbook check

test: $(VENV)/.test-ready
	$(BIN)/python tests/run_all.py $(NO_SKIP)

reproduce: $(VENV)/lab/.ready
	$(VENV)/lab/bin/faultbook reproduce --all --jobs 2

$(VENV)/lab/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)/lab
	$(VENV)/lab/bin/python -m pip --quiet --disable-pip-version-check install -e '.[reproduce]'
	@touch $@

$(VENV)/.site-ready: pyproject.toml requirements/site.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements/site.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test-ready: $(VENV)/.site-ready requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	rm -rf $(VENV) node_modules .site.building .site.old
