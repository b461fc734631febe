"""Rules that are kept before the checks run: by the reader, the format and the loading of the corpus."""

from __future__ import annotations

from dataclasses import dataclass

from faultbook.checks.base import Example
from faultbook.violations import Level


@dataclass(frozen=True)
class Rule:
    """A code with its explanation; the examples are missing where text cannot show them."""

    code: str
    what: str
    why: str
    failing: Example | None = None
    passing: Example | None = None
    level: Level = Level.ERROR


_DRAFT = (
    "title: Shared memory too small for workers\nsummary: The file system for shared memory is full.\nstatus: draft\n"
    "tags: [dataloader, shared-memory]\nimpact: [crash]\nsymptoms:\n"
    "  - observed: A worker of the DataLoader dies from a bus error.\n    means: It got SIGBUS.\n"
)
_BOTH = (
    "symptoms:\n  - observed: A worker of the DataLoader dies.\n    means: It got SIGBUS.\n    signatures:\n"
    "      - all: [Unexpected bus error encountered in worker, insufficient shared memory]\n"
)
_KILLED = "  - {expect: no-match, origin: reproduced, log: Killed}\n"
_MATCH = (
    "samples:\n  - expect: match\n    origin: reproduced\n"
    "    log: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory\n"
)
_DEEP = "tags: " + "[" * 25 + "dataloader" + "]" * 25 + "\n"

RULES: tuple[Rule, ...] = (
    Rule(
        "yaml",
        "The file is not YAML.",
        "It cannot be understood from there on. Most often a text holds ': ' or begins with a character that means "
        "something in YAML; quote it, or write it as a block after '>-' or '|'.",
        Example("title: DataLoader: shared memory too small\n"),
        Example('title: "DataLoader: shared memory too small"\n'),
    ),
    Rule(
        "anchor",
        "The file uses an anchor or an alias.",
        "An entry is read by people, in a review and in a merge, and each part must say itself what it says. Write "
        "the text out; quote text that begins with '&' or '*'.",
        Example("tags: &tags [dataloader, shared-memory]\n"),
        Example("tags: [dataloader, shared-memory]\n"),
    ),
    Rule(
        "yaml-tag",
        "The file uses a YAML tag.",
        "Tags make values of other types, which no field takes. Remove it; quote text that begins with '!'.",
        Example("title: !name Shared memory too small for workers\n"),
        Example("title: Shared memory too small for workers\n"),
    ),
    Rule(
        "duplicate-key",
        "A mapping has the same key twice.",
        "YAML would let the second win and the first would be lost without a word. Merge the two.",
        Example("scope: job\nscope: node\n"),
        Example("scope: job\n"),
    ),
    Rule(
        "text-lost",
        "The end of a text is read as a comment.",
        "A blank and a hash begin a comment in unquoted text, and what follows is not on the page. Quote the whole "
        "text; a real comment goes on a line of its own.",
        Example("title: Shared memory too small, see pytorch #1355\n"),
        Example('title: "Shared memory too small, see pytorch #1355"\n'),
    ),
    Rule(
        "too-deep",
        "The file is nested too deeply.",
        "Entries are flat, and a file of brackets alone could exhaust whoever reads it. Remove the nesting.",
        Example(_DEEP),
        Example("tags: [dataloader, shared-memory]\n"),
    ),
    Rule(
        "not-utf-8",
        "The file is not UTF-8.",
        "Its characters cannot be told. Save it as UTF-8; bytes of a log that are no text are left out of a sample.",
    ),
    Rule(
        "file-too-large",
        "The file has more than 256 KiB.",
        "No entry needs so much, and every command reads all files. Move long logs to 'logs/' and shorten the rest.",
    ),
    Rule(
        "unreadable-file",
        "The file cannot be read.",
        "Links, folders and files without permission are not followed, since an entry must be the same for everybody. "
        "Put the file itself there.",
    ),
    Rule(
        "unknown-field",
        "A field is not part of the format.",
        "What it holds would be shown nowhere. Correct the name; 'faultbook schema' lists all fields.",
        Example("sumary: The file system for shared memory is full.\n"),
        Example("summary: The file system for shared memory is full, so a worker that writes to it gets SIGBUS.\n"),
    ),
    Rule(
        "missing-field",
        "A field that every entry needs is missing.",
        "Also a draft says what it is about and how it shows. Add the field.",
        Example(_DRAFT, whole=True),
        Example(f"{_DRAFT}scope: job\n", whole=True),
    ),
    Rule(
        "wrong-type",
        "A value is of the wrong type.",
        "A number or a truth value where text is meant would be shown in another way than it was written. Quote text "
        "that looks like a number; write a list where several values are meant.",
        Example("title: 29500\n"),
        Example('title: "Port 29500 is taken"\n'),
    ),
    Rule(
        "unknown-value",
        "A value is not one of those that the field takes.",
        "Pages and filters know the listed values alone. Use one of them.",
        Example("scope: machine\n"),
        Example("scope: node\n"),
    ),
    Rule(
        "length",
        "A text or a list is too short or too long.",
        "The limits keep pages readable and previews whole. Shorten it, or say what is missing.",
        Example("title: Shm\n"),
        Example("title: Shared memory too small for workers\n"),
    ),
    Rule(
        "number",
        "A number is out of its range.",
        "The engine looks at so many lines and no more. Use a number within the range.",
        Example(f"{_BOTH}        within: 500\n"),
        Example(f"{_BOTH}        within: 3\n"),
    ),
    Rule(
        "wrong-form",
        "A value has not the form that its field needs.",
        "Slugs, dates, version ranges, addresses and paths are read by programs, and some fields exclude each other. "
        "Write it as the message says.",
        Example("reviewed: 30 November 2026\n"),
        Example('reviewed: "2026-11-30"\n'),
    ),
    Rule(
        "no-entries",
        "There is no entry.",
        "A site without entries is a mistake of the path, not a wish. Name the directory that holds "
        "'<category>/<slug>.yaml'.",
    ),
    Rule(
        "misplaced-file",
        "A file lies where no entry is looked for.",
        "It would never be read. An entry lies at '<category>/<slug>.yaml', directly in the folder of its category; "
        "files that begin with '_' are vocabulary and have fixed names.",
        Example(path="shm-exhausted.yaml"),
        Example(),
    ),
    Rule(
        "wrong-slug",
        "The name of a file is no slug.",
        "It becomes the address of the page for good. Use 2 to 60 small letters, digits and single hyphens.",
        Example(path="data/SHM_exhausted.yaml"),
        Example(),
    ),
    Rule(
        "duplicate-slug",
        "Two entries have the same slug.",
        "They would have the same page, and neither may win silently, also when they come from two directories. "
        "Rename one.",
        Example(beside=(("host/shm-exhausted.yaml", ""),)),
        Example(beside=(("host/open-files-limit.yaml", ""),)),
    ),
    Rule(
        "missing-log",
        "The file of a sample is missing or too long.",
        "The sample cannot be judged without it. Put the log beside the entry as 'logs/<slug>-<name>.log', at most "
        "1 MB.",
        Example(f"{_MATCH}  - {{expect: no-match, origin: reproduced, file: logs/shm-exhausted-killed.log}}\n"),
        Example(_MATCH + _KILLED),
    ),
    Rule(
        "mkdocs-setting",
        "A setting of mkdocs.yml would break the pages.",
        "The pages rely on addresses that end in a slash, on the theme 'material', and on fonts that no other host "
        "sends. Change the setting as the message says.",
    ),
    Rule(
        "template",
        "A page template cannot be rendered.",
        "No page is written until all can be. Mend the template at the line that is named; a file in the project's own "
        "'templates/' hides the packaged one of the same name.",
    ),
    Rule(
        "dead-link",
        "A link of the built site leads nowhere.",
        "The old site stays until the new one is whole. Correct the link in the page that is named, or the anchor that "
        "it leads to.",
    ),
    Rule(
        "not-formatted",
        "The file is not in the canonical form.",
        "Keys in one order and texts folded at one width make small differences between two versions. "
        "'faultbook fmt' writes the file anew, with the same data and comments; 'fmt --check' only tells.",
    ),
    Rule(
        "not-formattable",
        "The file cannot be brought into the canonical form.",
        "What 'faultbook fmt' would write is read again, and the data would not be the same, or a comment has no place "
        "in it. The file stays as it is. Put the comment on a line of its own, or write the text in another style.",
    ),
    Rule(
        "stale-exemption",
        "An exemption hides nothing.",
        "The place that it was made for has been mended, and it would hide the next violation. Remove it from "
        "'checks/exemptions.py'.",
    ),
)
