"""What valid entries and vocabulary files become, and what an entry lacks to be published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import entry_yaml
from faultbook.reader import parse_source
from faultbook.schema import (
    Entry,
    Kind,
    Model,
    Status,
    System,
    Tag,
    Wanted,
    lacks,
    parse_vocabulary,
    text_fields,
    texts,
)
from faultbook.violations import format_violation
from pydantic import ValidationError


def entry(text: str = "") -> Entry:
    source, violations = parse_source(entry_yaml(text), Path("x"), "x")
    assert violations == []
    assert source is not None
    return Entry.model_validate(source.data)


def vocabulary(text: str, item: type[Model]) -> tuple[dict[str, Any], list[str]]:
    source, violations = parse_source(text, Path("x"), "x")
    assert violations == []
    assert source is not None
    items, violations = parse_vocabulary(source, item)
    return items, [format_violation(violation).removeprefix("x:") for violation in violations]


def case(name: str, *values: Any) -> Any:
    return pytest.param(*values, id=name)


def test_a_complete_entry_lacks_nothing() -> None:
    assert list(lacks(entry())) == []


def test_what_is_not_said_has_the_value_of_the_format() -> None:
    plain = entry()
    assert (plain.kind, plain.silent, plain.aliases, plain.superseded_by) == ("cause", False, (), None)
    assert plain.status is Status.PUBLISHED
    [signature] = plain.signatures().values()
    assert (signature.role, signature.within, signature.unless, signature.only_if) == ("cause", 5, (), ())


def test_one_template_is_a_list_of_one() -> None:
    one, several, both = (
        entry(f"symptoms:\n  - observed: a\n    means: b\n    signatures:\n      - {form}\n").signatures()
        for form in ("text: lost it", "text: [lost it, lost them]", "all: [lost it, gave up]")
    )
    assert [next(iter(found.values())).templates for found in (one, several, both)] == [
        ("lost it",),
        ("lost it", "lost them"),
        ("lost it", "gave up"),
    ]


def test_a_command_that_is_text_is_what_is_run() -> None:
    short = entry("checklist: [{check: a, if_yes: b, if_no: c, command: df -h}]\n").checklist[0].command
    long = entry("checklist: [{check: a, if_yes: b, if_no: c, command: {run: df -h}}]\n").checklist[0].command
    assert short == long
    assert short is not None
    assert (short.run, short.lang, short.danger) == ("df -h", "bash", None)


def test_texts_lose_the_blanks_around_them_and_code_does_not() -> None:
    changed = entry('title: "  Shared memory too small "\nexamples: [{stack: a, title: b, code: "  x\\n", why: c}]\n')
    assert changed.title == "Shared memory too small"
    assert changed.examples[0].code == "  x\n"


def test_commands_and_signatures_are_listed_with_the_way_to_them() -> None:
    whole = entry(
        "quick_fix: {text: a, commands: [one, {run: two}]}\n"
        "fix:\n  - id: aa\n    title: Give it memory\n    kind: permanent\n    who: user\n"
        "    steps: [{text: a}, {text: b, command: three}]\n    verify: {command: four}\n"
    )
    assert {path: command.run for path, command in whole.commands().items()} == {
        ("checklist", 0, "command"): "df -h /dev/shm",
        ("quick_fix", "commands", 0): "one",
        ("quick_fix", "commands", 1): "two",
        ("fix", 0, "steps", 1, "command"): "three",
        ("fix", 0, "verify", "command"): "four",
    }
    assert list(whole.signatures()) == [("symptoms", 0, "signatures", 0)]


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"affected_systems: [{{system: linux, when: a, versions: [{{range: '{versions}'}}]}}]\n"
            for versions in (">=2.4,<2.12", "==2.13.*", "~=1.4", "!=2.0", ">=2.4.dev0", "<=2.5")
        ),
        *(
            f"references: [{{id: docs, title: T, url: '{url}'}}]\n"
            for url in (
                "https://a.b",
                "https://a.b:8443/c?d=e&f=(g)#L10-L20",
                "https://a.b/~c/d_e%20f[0]",
                "https://a.b/;x@y",
            )
        ),
        *(f"reviewed: {date}\n" for date in ("2026-11-30", "2024-02-29", "'2026-01-01'")),
        *(f"aliases: [{slug}]\n" for slug in ("ab", "a1-b2-c3", "x" * 60)),
        "samples: [{expect: match, origin: reproduced, file: logs/shm-exhausted-a.1.log}]\n",
        "evidence: {level: reproduced, reproduction: {path: reproductions/aa-b/x_y.py, shows: a}}\n",
    ],
)
def test_good_forms_are_taken(text: str) -> None:
    assert entry(text)


def test_entries_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        entry().title = "Another title"


def test_texts_are_listed_in_the_order_of_the_fields_with_their_kind() -> None:
    found = text_fields(entry())
    assert [(field.path, field.kind.value) for field in found] == [
        (("title",), "prose"),
        (("summary",), "prose"),
        (("symptoms", 0, "observed"), "prose"),
        (("symptoms", 0, "means"), "prose"),
        (("search_keys", 0), "plain"),
        (("search_keys", 1), "plain"),
        (("mechanism",), "prose"),
        (("affected_systems", 0, "when"), "prose"),
        (("checklist", 0, "check"), "prose"),
        (("checklist", 0, "if_yes"), "prose"),
        (("checklist", 0, "if_no"), "prose"),
        (("fix", 0, "title"), "prose"),
        (("fix", 0, "steps", 0, "text"), "prose"),
        (("references", 0, "title"), "plain"),
        (("authors", 0), "plain"),
    ]
    assert text_fields(entry(), Kind.PROSE) == [field for field in found if field.kind is Kind.PROSE]
    assert text_fields(entry(), Kind.PLAIN) == [field for field in found if field.kind is Kind.PLAIN]
    for kind in (None, *Kind):
        assert texts(entry(), kind) == [field.text for field in text_fields(entry(), kind)]


def test_each_text_is_the_one_to_which_its_way_leads() -> None:
    whole = entry()
    for field in text_fields(whole):
        value: Any = whole
        for step in field.path:
            value = value[step] if isinstance(step, int) else getattr(value, step)
        assert value == field.text


SYMPTOM = "symptoms: [{observed: a, means: b}]\n"
FIX = "{id: %s, title: Give it memory, kind: permanent, who: user, steps: [{text: a}], verify: {text: b}%s}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        case("short summary", "summary: It dies.\n", [(("summary",), "has 8 characters; to be published it needs 60")]),
        case(
            "short mechanism",
            "mechanism: It dies.\n",
            [(("mechanism",), "has 8 characters; to be published it needs 200")],
        ),
        case(
            "one key",
            "search_keys: [shm size]\n",
            [(("search_keys",), "'search_keys' has 1 of at least 2: what people type to find it")],
        ),
        case(
            "empty lists",
            "affected_systems: []\nchecklist: []\nfix: []\nrelated: []\nreferences: []\nauthors: []\n",
            [
                (("affected_systems",), "'affected_systems' has 0 of at least 1: where it happens"),
                (("checklist",), "'checklist' has 0 of at least 1: a question that decides"),
                (("fix",), "'fix' has 0 of at least 1: a way to remove it"),
                (("related",), "'related' has 0 of at least 1: another entry, with the relation"),
                (("references",), "'references' has 0 of at least 1: a source that was read"),
                (("authors",), "'authors' has 0 of at least 1: who wrote it"),
            ],
        ),
        case(
            "nothing said",
            "mechanism:\nevidence:\nreviewed:\n",
            [
                (("mechanism",), "'mechanism' is missing"),
                (("evidence",), "'evidence' is missing"),
                (("reviewed",), "'reviewed' is missing"),
            ],
        ),
        case(
            "no signature",
            SYMPTOM,
            [(("symptoms",), "no symptom has a signature; add one, or 'silent: true' if nothing is printed")],
        ),
        case(
            "no samples",
            "samples: []\n",
            [
                (("samples",), "no sample has 'expect: match'; add a log that this failure prints"),
                (("samples",), "no sample has 'expect: no-match'; add a log that looks alike"),
            ],
        ),
        case(
            "silent needs neither signature nor match",
            f"silent: true\n{SYMPTOM}samples: [{{expect: no-match, origin: reproduced, log: a}}]\n",
            [],
        ),
        case("one fix needs no situation", f"fix: [{FIX % ('aa', '')}]\n", []),
        case(
            "several fixes without a situation",
            f"fix: [{FIX % ('aa', '')}, {FIX % ('bb', ', when: c')}]\n",
            [(("fix", 0), "has no 'when'; with several fixes each says for which situation it is")],
        ),
        case(
            "fix that cannot be verified",
            "fix: [{id: aa, title: Give it memory, kind: permanent, who: user, steps: [{text: a}]}]\n",
            [(("fix", 0), "has no 'verify'; say how to see that it worked")],
        ),
        case(
            "reproduced without a script",
            "evidence: {level: reproduced}\n",
            [(("evidence",), "is 'reproduced' without 'reproduction'; name the script, or use another level")],
        ),
        case(
            "reported log without its source",
            "samples:\n  - {expect: match, origin: reported, log: a}\n  - {expect: no-match, origin: source, log: b}\n",
            [
                (("samples", 0), "is 'reported' without 'ref'; name the reference that shows the log"),
                (("samples", 1), "is 'source' without 'ref'; name the reference that shows the log"),
            ],
        ),
    ],
)
def test_what_an_entry_lacks_is_named_with_the_remedy(
    text: str, found: list[tuple[tuple[str | int, ...], str]]
) -> None:
    assert [(lack.path, lack.message) for lack in lacks(entry(text))] == found


def test_a_draft_needs_only_what_every_entry_has() -> None:
    source, _ = parse_source(
        "title: Shared memory too small\nsummary: It dies.\nstatus: draft\ntags: [aa, bb]\nimpact: [crash]\n"
        "scope: job\n" + SYMPTOM,
        Path("x"),
        "x",
    )
    assert source is not None
    assert Entry.model_validate(source.data).status is Status.DRAFT


def test_vocabulary_keeps_the_order_of_the_file() -> None:
    items, violations = vocabulary("zz: {group: host, text: a}\naa: {group: data, text: b}\n", Tag)
    assert violations == []
    assert list(items) == ["zz", "aa"]
    assert items["aa"] == Tag(group="data", text="b")


def test_a_wrong_item_of_a_vocabulary_does_not_hide_the_others() -> None:
    items, violations = vocabulary(
        "aa: {group: host, txt: a}\nbb: {group: host, text: b}\nCc: {group: d, text: c}\n", Tag
    )
    assert list(items) == ["bb"]
    assert violations == [
        "1:5: error[missing-field]: 'text' is missing; add it",
        "1:19: error[unknown-field]: the field 'txt' is not known (did you mean 'text'?)",
        "3:1: error[wrong-form]: 'Cc' is not a slug; use 2 to 60 small letters, digits and single hyphens",
        "3:13: error[wrong-form]: 'd' is not a slug; use 2 to 60 small letters, digits and single hyphens",
    ]


@pytest.mark.parametrize(
    ("text", "item", "violations"),
    [
        case("list", "- aa\n", Tag, ["1:1: error[wrong-type]: the file must be a mapping, not a list"]),
        case("text", "aa\n", Tag, ["1:1: error[wrong-type]: the file must be a mapping, not text"]),
        case("item that is text", "aa: word\n", Tag, ["1:5: error[wrong-type]: 'aa' must be a mapping, not text"]),
        case("item that is empty", "aa:\n", Tag, ["1:4: error[wrong-type]: 'aa' must be a mapping, not nothing"]),
        case(
            "system without https",
            "aa: {title: A, text: b, url: 'http://a.b'}\n",
            System,
            [
                "1:30: error[wrong-form]: 'http://a.b' is not an https address; "
                "other links are not followed by this site"
            ],
        ),
        case(
            "priority out of range",
            "aa: {title: A long title, category: host, priority: 4}\n",
            Wanted,
            ["1:53: error[number]: 'priority' is 4; it must be at most 3"],
        ),
        case(
            "priority in words",
            "aa: {title: A long title, category: host, priority: high}\n",
            Wanted,
            ["1:53: error[wrong-type]: 'priority' must be a whole number, not text"],
        ),
    ],
)
def test_vocabulary_of_another_shape_is_refused(text: str, item: type[Model], violations: list[str]) -> None:
    assert vocabulary(text, item) == ({}, violations)
