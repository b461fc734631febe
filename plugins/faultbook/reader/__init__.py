"""Read one YAML file into plain data, and find the place of any of its parts again; knows nothing of entries."""

from faultbook.reader.source import MAX_BYTES, KeyPath, Source, parse_source, read_source

__all__ = ["MAX_BYTES", "KeyPath", "Source", "parse_source", "read_source"]
