"""What each placeholder matches, as patterns that Python, JavaScript with the flags ``su`` and RE2 read alike.

Every repetition is bounded and no class depends on the engine, so there is no ``\\s``, ``\\d`` or ``\\w``; only what a
JavaScript pattern with the flag ``u`` may escape is escaped.
"""

from __future__ import annotations

_V4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"

PATTERNS = {
    "int": r"-?[0-9]{1,20}",
    "num": r"[+-]?(?:(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,4})?"
    r"|nan|NaN|NAN|inf|Inf|INF)",
    "hex": r"(?:0x)?[0-9a-fA-F]{1,64}",
    "ip": rf"\[?(?:{_V4}|(?:[0-9a-fA-F]{{0,4}}:){{2,7}}(?:{_V4}|[0-9a-fA-F]{{0,4}}))(?:%[0-9A-Za-z_.-]{{1,16}})?\]?",
    "port": r"[1-9][0-9]{0,4}",
    "host": r"[0-9A-Za-z_.-]{1,253}",
    "addr": r"[0-9A-Za-z_.:%\[\]<>-]{1,280}",
    "path": "[^ \\t\\n\"'`:<>|,;()\\[\\]]{1,512}",
    "word": r"[A-Za-z_][0-9A-Za-z_]{0,127}",
    "name": r"[0-9A-Za-z_.:/+@-]{1,256}",
    "tok": r"[^ \t\n]{1,512}",
    "str": "[^'\"\\n]{0,512}",
    "size": r"[0-9]{1,20}(?:\.[0-9]{1,9})? ?(?:[kKMGTP]i?B|[Bb]ytes?|B)",
    "shape": r"(?:torch\.Size\()?[(\[][0-9, ]{0,120}[)\]]\)?",
    "ver": r"[0-9]{1,9}(?:\.[0-9A-Za-z+_-]{1,40}){0,6}",
}
"""The pattern of each type but the gap, in the order in which the index numbers them from 1."""
