"""What the entry format takes and refuses, with whole messages at their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import entry_yaml
from faultbook.reader import parse_source
from faultbook.schema import Entry, schema_violations
from faultbook.violations import format_violation, sort_violations
from pydantic import ValidationError


def validate(text: str) -> tuple[Entry | None, list[str]]:
    """The entry with the given fields, and its violations without the name of the file."""
    source, violations = parse_source(entry_yaml(text), Path("x"), "x")
    assert source is not None
    entry = None
    try:
        entry = Entry.model_validate(source.data)
    except ValidationError as error:
        violations = sort_violations(violations + schema_violations(error, source, Entry))
    return entry, [format_violation(violation).removeprefix("x:") for violation in violations]


def signature(text: str) -> str:
    """A symptom with one signature whose fields are given as a flow mapping."""
    return f"symptoms:\n  - observed: a\n    means: b\n    signatures:\n      - {text}\n"


def checked(command: str) -> str:
    return f"checklist:\n  - {{check: a, if_yes: b, if_no: c, command: {command}}}\n"


def sample(text: str) -> str:
    return f"samples:\n  - {{expect: match, origin: reproduced, {text}}}\n"


def reference(text: str) -> str:
    return f"references:\n  - {{id: docs, title: T, {text}}}\n"


def case(name: str, text: str, *violations: str) -> Any:
    return pytest.param(text, list(violations), id=name)


SLUG = "is not a slug; use 2 to 60 small letters, digits and single hyphens"
HTTPS = "is not an https address; other links are not followed by this site"
DATE = 'is not a date; write it as "2026-11-30"'
RANGE = 'is not a version range; write it as ">=2.4,<2.12" (PEP 440)'
LOG = r"it must look like ^logs/[a-z0-9][a-z0-9.-]*\.log$"


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        case(
            "number",
            "title: 404\n",
            "1:8: error[wrong-type]: 'title' must be text, not a number (404); quote it: \"404\"",
        ),
        case(
            "number as it was spelled",
            "title: 1.10\n",
            "1:8: error[wrong-type]: 'title' must be text, not a number (1.10); quote it: \"1.10\"",
        ),
        case(
            "truth value",
            "title: True\n",
            "1:8: error[wrong-type]: 'title' must be text, not a truth value (True); quote it: \"True\"",
        ),
        case(
            "no is text, and short",
            "title: no\n",
            "1:8: error[length]: 'title' has 2 characters; at least 8 are needed",
        ),
        case("nothing", "title:\n", "1:7: error[wrong-type]: 'title' must be text, not nothing"),
        case("list", "title: [a]\n", "1:8: error[wrong-type]: 'title' must be text, not a list"),
        case("mapping", "title: {a: b}\n", "1:8: error[wrong-type]: 'title' must be text, not a mapping"),
        case(
            "date of digits",
            "reviewed: 20261130\n",
            "1:11: error[wrong-type]: 'reviewed' must be text, not a number (20261130); quote it: \"20261130\"",
        ),
        case(
            "number in a list",
            "tags: [dataloader, 0x10]\n",
            "1:20: error[wrong-type]: item 2 of 'tags' must be text, not a number (0x10); quote it: \"0x10\"",
        ),
        case("text for a list", "tags: dataloader\n", "1:7: error[wrong-type]: 'tags' must be a list, not text"),
        case(
            "mapping for a list",
            "related: {entry: a-b, relation: causes}\n",
            "1:10: error[wrong-type]: 'related' must be a list, not a mapping",
        ),
        case(
            "text for a mapping",
            "quick_fix: Retry\n",
            "1:12: error[wrong-type]: 'quick_fix' must be a mapping, not text",
        ),
        case(
            "text for a mapping in a list",
            "symptoms:\n  - It dies\n",
            "2:5: error[wrong-type]: item 1 of 'symptoms' must be a mapping, not text",
        ),
        case(
            "number for a mapping deep within",
            "fix:\n  - {id: aa, title: Give it memory, kind: permanent, who: user, steps: [7]}\n",
            "2:73: error[wrong-type]: item 1 of 'steps' must be a mapping, not a number (7)",
        ),
        case(
            "yes is text and no truth value",
            "silent: yes\n",
            "1:9: error[wrong-type]: 'silent' must be true or false, not text",
        ),
        case(
            "one is no truth value",
            "silent: 1\n",
            "1:9: error[wrong-type]: 'silent' must be true or false, not a number (1)",
        ),
        case(
            "fraction for a count",
            signature("{text: abc, within: 1.5}"),
            "5:29: error[wrong-type]: 'within' must be a whole number, not a number (1.5)",
        ),
        case(
            "truth value for a count",
            signature("{text: abc, within: true}"),
            "5:29: error[wrong-type]: 'within' must be a whole number, not a truth value (true)",
        ),
        case(
            "text for a count",
            signature("{text: abc, within: '5'}"),
            "5:29: error[wrong-type]: 'within' must be a whole number, not text",
        ),
        case(
            "endless number for a count",
            signature(f"{{text: abc, within: 0x{'f' * 5000}}}"),
            "5:29: error[number]: 'within' is 17368131436364861179694067994342720435866888481303843484147…; "
            "it must be at most 50",
        ),
    ],
)
def test_wrong_types_are_named_at_every_depth(text: str, violations: list[str]) -> None:
    assert validate(text) == (None, violations)


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        case(
            "misspelt",
            "sumary: x\n",
            "1:1: error[unknown-field]: the field 'sumary' is not known (did you mean 'summary'?)",
        ),
        case(
            "misspelt in a list of mappings",
            "symptoms:\n  - {observed: a, means: b, signature: []}\n",
            "2:29: error[unknown-field]: the field 'signature' is not known (did you mean 'signatures'?)",
        ),
        case(
            "misspelt in a command",
            checked("{run: ls, hwere: container}"),
            "2:56: error[unknown-field]: the field 'hwere' is not known (did you mean 'where'?)",
        ),
        case(
            "nothing near",
            "perspectives: {boss: x}\n",
            "1:16: error[unknown-field]: the field 'boss' is not known; known here: on_call, engineer, lead",
        ),
        case(
            "text with a comma between braces",
            "perspectives: {lead: The message is gone, and each rank goes on.}\n",
            "1:43: error[unknown-field]: 'and each rank goes on.' is read as a field; "
            "put a text that holds a comma into quotes",
        ),
        case(
            "missing at the top and within",
            "symptoms:\n  - observed: x\n",
            "2:5: error[missing-field]: 'means' is missing; add it",
        ),
        case(
            "missing beside a slip of it",
            checked("{rum: ls}"),
            "2:46: error[missing-field]: 'run' is missing; add it",
            "2:47: error[unknown-field]: the field 'rum' is not known (did you mean 'run'?)",
        ),
    ],
)
def test_unknown_and_missing_fields_are_named_with_what_was_meant(text: str, violations: list[str]) -> None:
    assert validate(text) == (None, violations)


def test_every_field_that_an_entry_needs_is_named_at_once() -> None:
    source, _ = parse_source("kind: cause\n", Path("x"), "x")
    assert source is not None
    with pytest.raises(ValidationError) as raised:
        Entry.model_validate(source.data)
    found = [format_violation(violation) for violation in schema_violations(raised.value, source, Entry)]
    assert found == [
        f"x:1:1: error[missing-field]: '{name}' is missing; every entry needs it"
        for name in ("title", "summary", "status", "tags", "impact", "scope", "symptoms")
    ]


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        case(
            "status",
            "status: publishd\n",
            "1:9: error[unknown-value]: 'status' is 'publishd'; "
            "use one of draft, published, withdrawn (did you mean 'published'?)",
        ),
        case(
            "scope",
            "scope: world\n",
            "1:8: error[unknown-value]: 'scope' is 'world'; use one of rank, job, node, cluster",
        ),
        case(
            "impact",
            "impact: [crash, boom]\n",
            "1:17: error[unknown-value]: item 2 of 'impact' is 'boom'; "
            "use one of fails-to-start, crash, hang, slowdown, wrong-results, data-loss, resource-leak",
        ),
        case(
            "number for a choice",
            "status: 1\n",
            "1:9: error[unknown-value]: 'status' is '1'; use one of draft, published, withdrawn",
        ),
        case(
            "role",
            signature("{text: abc, role: main}"),
            "5:27: error[unknown-value]: 'role' is 'main'; use one of cause, ambiguous, downstream, notice",
        ),
        case(
            "danger, affects and needs",
            checked("{run: ls, danger: high, affects: [all], needs: sudo}"),
            "2:64: error[unknown-value]: 'danger' is 'high'; use one of reversible, disruptive, destructive",
            "2:80: error[unknown-value]: item 1 of 'affects' is 'all'; "
            "use one of own-job, other-users, node, cluster, stored-data",
            "2:93: error[unknown-value]: 'needs' is 'sudo'; use one of root, gpu",
        ),
    ],
)
def test_unknown_values_are_shown_with_the_known_ones(text: str, violations: list[str]) -> None:
    assert validate(text) == (None, violations)


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        case("title", f"title: {'x' * 81}\n", "1:8: error[length]: 'title' has 81 characters; at most 80 are allowed"),
        case(
            "blanks do not count",
            "title: '   abc     '\n",
            "1:8: error[length]: 'title' has 3 characters; at least 8 are needed",
        ),
        case(
            "summary",
            f"summary: {'x' * 241}\n",
            "1:10: error[length]: 'summary' has 241 characters; at most 240 are allowed",
        ),
        case(
            "mechanism",
            f"mechanism: {'x' * 5001}\n",
            "1:12: error[length]: 'mechanism' has 5001 characters; at most 5000 are allowed",
        ),
        case("one tag", "tags: [dataloader]\n", "1:7: error[length]: 'tags' has 1 item; at least 2 are needed"),
        case(
            "nine tags",
            f"tags: [{', '.join(f't{i}' for i in range(9))}]\n",
            "1:7: error[length]: 'tags' has 9 items; at most 8 are allowed",
        ),
        case("no impact", "impact: []\n", "1:9: error[length]: 'impact' has 0 items; at least 1 is needed"),
        case("no symptom", "symptoms: []\n", "1:11: error[length]: 'symptoms' has 0 items; at least 1 is needed"),
        case(
            "template",
            signature(f"text: {'x' * 401}"),
            "5:15: error[length]: item 1 of 'text' has 401 characters; at most 400 are allowed",
        ),
        case(
            "command",
            checked(f"'{'x' * 6001}'"),
            "2:46: error[length]: 'run' has 6001 characters; at most 6000 are allowed",
        ),
        case("empty command", checked("''"), "2:46: error[length]: 'run' has 0 characters; at least 1 is needed"),
        case(
            "short name of a person",
            "authors: [x]\n",
            "1:11: error[length]: item 1 of 'authors' has 1 character; at least 2 are needed",
        ),
        case(
            "one template of all",
            signature("all: [abc]"),
            "5:14: error[length]: 'all' has 1 item; at least 2 are needed",
        ),
        case(
            "window of no line",
            signature("{text: abc, within: 0}"),
            "5:29: error[number]: 'within' is 0; it must be at least 1",
        ),
        case(
            "window too wide",
            signature("{text: abc, within: 51}"),
            "5:29: error[number]: 'within' is 51; it must be at most 50",
        ),
    ],
)
def test_lengths_and_counts_are_bounded(text: str, violations: list[str]) -> None:
    assert validate(text) == (None, violations)


ONE_FORM = "error[wrong-form]: a signature has either 'text' or 'all'; give one of the two"
ONE_LOG = "error[wrong-form]: a sample has either 'log' or 'file'; give one of the two"


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        case("http", reference("url: 'http://a.b/c'"), f"2:31: error[wrong-form]: 'http://a.b/c' {HTTPS}"),
        case(
            "script", reference("url: 'javascript:alert(1)'"), f"2:31: error[wrong-form]: 'javascript:alert(1)' {HTTPS}"
        ),
        case(
            "password in the address",
            reference("url: 'https://u:p@a.b/'"),
            f"2:31: error[wrong-form]: 'https://u:p@a.b/' {HTTPS}",
        ),
        case(
            "quotation mark in the address",
            reference("url: 'https://a.b/\"x'"),
            f"2:31: error[wrong-form]: 'https://a.b/\"x' {HTTPS}",
        ),
        case(
            "blank in the address",
            reference("url: 'https://a.b/c d'"),
            f"2:31: error[wrong-form]: 'https://a.b/c d' {HTTPS}",
        ),
        case("no such day", "reviewed: 2026-02-30\n", f"1:11: error[wrong-form]: '2026-02-30' {DATE}"),
        case("date in another order", "reviewed: 30.11.2026\n", f"1:11: error[wrong-form]: '30.11.2026' {DATE}"),
        case("date with a time", "reviewed: 2026-11-30T10:00\n", f"1:11: error[wrong-form]: '2026-11-30T10:00' {DATE}"),
        case("date in other digits", "reviewed: ٢٠٢٦-١١-٣٠\n", f"1:11: error[wrong-form]: '٢٠٢٦-١١-٣٠' {DATE}"),
        case(
            "version ranges",
            "affected_systems:\n  - {system: pytorch, when: a, versions: [{range: '2.4'}, "
            "{range: newer}, {range: '>=2,,<'}, {range: ' '}]}\n",
            f"2:51: error[wrong-form]: '2.4' {RANGE}",
            f"2:67: error[wrong-form]: 'newer' {RANGE}",
            f"2:83: error[wrong-form]: '>=2,,<' {RANGE}",
            "2:102: error[length]: 'range' has 0 characters; at least 1 is needed",
        ),
        case("slug", "tags: [dataloader, Shared_Memory]\n", f"1:20: error[wrong-form]: 'Shared_Memory' {SLUG}"),
        case("slug of one letter", "aliases: [a]\n", f"1:11: error[wrong-form]: 'a' {SLUG}"),
        case("slug with a double hyphen", "aliases: [a--b]\n", f"1:11: error[wrong-form]: 'a--b' {SLUG}"),
        case("slug with a line feed", 'aliases: ["ab\\n"]\n', f"1:11: error[wrong-form]: 'ab\\n' {SLUG}"),
        case("neither text nor all", signature("role: cause"), f"5:9: {ONE_FORM}"),
        case("both text and all", signature("{text: abc, all: [a, b]}"), f"5:9: {ONE_FORM}"),
        case("neither log nor file", sample("first: true"), f"2:5: {ONE_LOG}"),
        case("both log and file", sample("log: a, file: logs/x.log"), f"2:5: {ONE_LOG}"),
        case("file above", sample("file: ../x.log"), f"2:47: error[wrong-form]: 'file' is '../x.log'; {LOG}"),
        case(
            "file above by a way round",
            sample("file: logs/../../x.log"),
            f"2:47: error[wrong-form]: 'file' is 'logs/../../x.log'; {LOG}",
        ),
        case("file elsewhere", sample("file: /etc/passwd"), f"2:47: error[wrong-form]: 'file' is '/etc/passwd'; {LOG}"),
        case(
            "script elsewhere",
            "evidence: {level: reproduced, reproduction: {path: /bin/sh, shows: a}}\n",
            "1:52: error[wrong-form]: 'path' is '/bin/sh'; it must look like ^reproductions/[a-z0-9-]+/[a-z0-9_.-]+$",
        ),
        case(
            "verify that says nothing",
            "fix:\n  - {id: aa, title: Give it memory, kind: permanent, who: user, steps: [{text: a}], verify: {}}\n",
            "2:93: error[wrong-form]: verify says nothing; give 'text', 'command' or both",
        ),
    ],
)
def test_forms_are_held(text: str, violations: list[str]) -> None:
    assert validate(text) == (None, violations)


@pytest.mark.parametrize(
    "code",
    ["0000", "001B", "007F", "0085", "00AD", "061C", "200B", "200E", "2028", "202E", "2060", "2066", "FEFF", "E0041"],
)
@pytest.mark.parametrize(
    "field",
    ["title", "summary", "mechanism", "search_keys", "command", "output", "template", "comparison", "version range"],
)
def test_invisible_characters_are_refused_in_every_kind_of_text(code: str, field: str) -> None:
    text = f'"a text with \\U{int(code, 16):08X} in it"'
    texts = {
        "search_keys": f"search_keys: [{text}]\n",
        "command": checked(text),
        "output": checked(f"{{run: ls, output: {text}}}"),
        "template": signature(f"text: {text}"),
        "comparison": signature(f"{{text: abc, only_if: [{text}]}}"),
        "version range": signature(f"{{text: abc, versions: {{range: {text}}}}}"),
    }
    entry, violations = validate(texts.get(field, f"{field}: {text}\n"))
    assert entry is None
    assert len(violations) == 1
    assert f"holds the invisible character U+{code}, which can hide text; remove it" in violations[0]


def test_an_invisible_character_is_reported_where_it_stands() -> None:
    assert validate("title: Shared memory too\u200b small\n")[1] == [
        "1:25: error[wrong-form]: 'title' holds the invisible character U+200B, which can hide text; remove it"
    ]
    assert validate("mechanism: |\n  one\n  two \u202e three\n")[1] == [
        "3:7: error[wrong-form]: 'mechanism' holds the invisible character U+202E, which can hide text; remove it"
    ]


def test_tabs_and_line_feeds_are_no_control_characters_of_code_and_escapes_are_none_of_logs() -> None:
    entry, violations = validate(checked('"a\\tb\\nc"') + sample('log: "\\e[31mred\\e[0m\\r50%\\n"'))
    assert violations == []
    assert entry is not None
    assert entry.samples[0].log == "\x1b[31mred\x1b[0m\r50%\n"


def test_all_faults_of_an_entry_are_reported_at_once_in_the_order_of_the_file() -> None:
    assert [
        violation.split(": ")[0]
        for violation in validate(
            "scope: world\ntitle: 1\ntags: [a]\nstatus: x\nfix:\n  - {id: A, title: b, kind: c, who: d, steps: []}\n"
        )[1]
    ] == ["1:8", "2:8", "3:7", "3:8", "4:9", "6:10", "6:20", "6:29", "6:37", "6:47"]
