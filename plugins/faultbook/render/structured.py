"""What search engines read of an entry, in the words of schema.org."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from faultbook.corpus import Corpus, Record
from faultbook.export import entry_url
from faultbook.export.past import Facts
from faultbook.marks import plain_text

Data = Mapping[str, Any]
CONTEXT = "https://schema.org"
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def structured(record: Record, corpus: Corpus, facts: Facts) -> tuple[Data, ...]:
    """The article and the way to it; addresses are whole."""
    entry, past = record.entry, facts.past.get(record.slug)
    authors = entry.authors or (past.contributors if past else ())
    article = {
        "@context": CONTEXT,
        "@type": "TechArticle",
        "headline": plain_text(entry.title),
        "description": plain_text(entry.summary),
        "url": facts.site_url + entry_url(record.slug),
        "inLanguage": "en",
        "keywords": list(entry.tags),
        "author": [{"@type": "Person", "name": name} for name in authors],
        "datePublished": past.added[:10] if past and past.added else None,
        "dateModified": facts.changed(record),
    }
    category = corpus.categories.get(record.category)
    steps = (
        ("Home", ""),
        (category.title if category else record.category, f"categories/{record.category}/"),
        (plain_text(entry.title), entry_url(record.slug)),
    )
    return {key: value for key, value in article.items() if value}, _breadcrumbs(steps, facts.site_url)


def _breadcrumbs(steps: Iterable[tuple[str, str]], site_url: str) -> Data:
    items = [
        {"@type": "ListItem", "position": position, "name": name, "item": site_url + url}
        for position, (name, url) in enumerate(steps, 1)
    ]
    return {"@context": CONTEXT, "@type": "BreadcrumbList", "itemListElement": items}


def script_json(data: object) -> str:
    """JSON that no text in it can end, wherever a script element holds it."""
    return json.dumps(data, separators=(",", ":")).translate(_ESCAPES)
