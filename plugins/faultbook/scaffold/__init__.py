"""Drafts of entries: a skeleton for a known cause, and a proposal from a log that no entry describes."""
