"""Match error lines and logs against the corpus and say what failed first; `docs/engine.md` describes the steps."""
