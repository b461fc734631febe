"""The references of one page: their numbers, and the way back to each citation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from faultbook.corpus import Record
from faultbook.links import REPRODUCTION
from faultbook.render.prose import escape_text
from faultbook.schema import Reference


@dataclass
class Cited:
    """A source with its label on the page, and the ids of the citations that were rendered so far."""

    label: str
    title: str
    reference: Reference | None
    kind: str | None = None
    accessed: str | None = None
    backs: list[str] = field(default_factory=list)


class References:
    """Numbers the references of an entry in their order; the reproduction is R."""

    def __init__(self, record: Record) -> None:
        entry = record.entry
        self.by_id: dict[str, Cited] = {}
        for number, reference in enumerate(entry.references, 1):
            self.by_id[reference.id] = Cited(
                str(number), reference.title, reference, reference_kind(reference), reference.accessed or entry.reviewed
            )
        if entry.evidence and entry.evidence.reproduction:
            self.by_id[REPRODUCTION] = Cited("R", "Reproduction: " + entry.evidence.reproduction.shows, None)

    def cite(self, reference: str) -> str:
        """The HTML of one citation, which becomes a target for the way back."""
        cited = self.by_id.get(reference)
        if cited is None:
            return f'<span class="fb-cite">[{escape_text(reference)}]</span>'
        anchor = f"cite-{cited.label}-{len(cited.backs) + 1}"
        cited.backs.append(anchor)
        label = escape_text(f"Reference {cited.label}: {cited.title}")
        link = f'<a id="{anchor}" href="#ref-{cited.label}" aria-label="{label}">[{cited.label}]</a>'
        return f'<sup class="fb-cite">{link}</sup>'


_KINDS = (
    ("issue", re.compile(r"https://(?:github|gitlab)\.com/.+/issues/\d+|https://discuss\.|https://forums?\.")),
    ("pull-request", re.compile(r"https://(?:github|gitlab)\.com/.+/(?:pull|merge_requests)/\d+")),
    ("source", re.compile(r"https://(?:github|gitlab)\.com/.+/(?:blob|tree|commit|raw)/")),
    ("man-page", re.compile(r"https://(?:man7\.org|www\.man7\.org|manpages\.)")),
    ("paper", re.compile(r"https://(?:arxiv\.org|doi\.org|www\.usenix\.org|dl\.acm\.org)/")),
)


def reference_kind(reference: Reference) -> str:
    """The kind that the reference states, or the one that its address shows."""
    if reference.kind:
        return reference.kind
    return next((kind for kind, form in _KINDS if form.match(reference.url)), "docs")
