"""Run the reproductions of a project and keep a record of each run.

Data flow: `scripts` finds the script of an entry and asks it for its cases; `run` runs one of them, bounded, in a
directory of its own; `judge` holds its exit code and its log against what the entry claims, with the same engine that
readers use; `record` writes the result beside the entries, from where pages and checks read it.
"""
