"""The entries and the vocabulary of one or several directories."""

from faultbook.corpus.load import load_corpus, shown_path
from faultbook.corpus.model import Corpus, Record

__all__ = ["Corpus", "Record", "load_corpus", "shown_path"]
