# Two commands do all the set-up: `make site` builds the site, `make test` runs every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export NO_MKDOCS_2_WARNING := 1

.PHONY: site serve check test lint types python-tests js-tests browser-tests clean

site: $(VENV)/.site-ready
	$(BIN)/mkdocs build --strict --quiet
	@echo "built site/index.html; 'make serve' shows it"

serve: $(VENV)/.site-ready
	$(BIN)/mkdocs serve

check: $(VENV)/.site-ready
	$(BIN)/faultbook check

test: $(VENV)/.test-ready
	$(BIN)/python tests/run_all.py $(NO_SKIP)

$(VENV)/.site-ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.test-ready: $(VENV)/.site-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) node_modules .site.building .site.old
