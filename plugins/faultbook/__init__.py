"""Faultbook: an encyclopedia of failed machine-learning training runs, and the generator of its site."""

__version__ = "0.1.0"
