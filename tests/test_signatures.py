"""The grammar of templates and comparisons, and the rules of their form."""

from __future__ import annotations

import re
from typing import Any

import pytest
from faultbook.signatures import (
    PATTERNS,
    TYPES,
    Comparison,
    Fault,
    Operand,
    Placeholder,
    form_faults,
    format_template,
    parse_comparison,
    parse_template,
)

INT = Placeholder("int")
GAP = Placeholder("*")


def case(name: str, *values: Any) -> Any:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        case("words", "Connection refused", ("Connection refused",)),
        case("placeholder", "rank <int> died", ("rank ", INT, " died")),
        case("named placeholder", "rank <int:rank> died", ("rank ", Placeholder("int", "rank"), " died")),
        case("gap", "a <*> b", ("a ", GAP, " b")),
        case("named gap", "a <*:rest> b", ("a ", Placeholder("*", "rest"), " b")),
        case("unknown word is literal", "File <stdin> of <module>", ("File <stdin> of <module>",)),
        case("unknown word touches a known one", "<foo<int>", ("<foo", INT)),
        case("wrong name is literal", "a <int:rank1> <int:> <int :x>", ("a <int:rank1> <int:> <int :x>",)),
        case("capital type is literal", "a <INT> b", ("a <INT> b",)),
        case("comparison signs are literal", "1 < 2 > 0 <= x", ("1 < 2 > 0 <= x",)),
        case("escaped placeholder is literal", r"a \<int> b", ("a <int> b",)),
        case("escape before any angle", r"a \<b", ("a <b",)),
        case("backslash elsewhere is literal", r"C:\path\n", (r"C:\path\n",)),
        case("backslash before an escape", r"a \\<int>", (r"a \<int>",)),
        case("blanks are folded", "a \t  b\n c", ("a b c",)),
        case("blanks around are dropped", "  a <int>  ", ("a ", INT)),
        case("gaps around are dropped", "<*> <*>a b <*>", ("a b",)),
        case("gap within stays", "<*> a <*> <int> <*>", ("a ", GAP, " ", INT)),
        case("nothing", "", ()),
        case("gaps only", " <*> <*> ", ()),
        case("placeholders that touch", "<int><int>", (INT, INT)),
        case("no-break space is no blank", "a\u00a0\u00a0b", ("a\u00a0\u00a0b",)),
    ],
)
def test_text_is_parsed_into_literals_and_placeholders(text: str, parts: tuple[object, ...]) -> None:
    assert parse_template(text).parts == parts


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_a_placeholder_with_and_without_a_name(name: str) -> None:
    parsed = parse_template(f"a <{name}> b <{name}:one_two> c")
    assert parsed.parts == ("a ", Placeholder(name), " b ", Placeholder(name, "one_two"), " c")
    assert parsed.names == {"one_two"}
    assert parsed.literals == ("a ", " b ", " c")


def test_types_are_those_of_the_format() -> None:
    assert " ".join(TYPES) == "int num hex ip port host addr path word name tok str size shape ver *"


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        (" a   <int:x>  <*> ", "a <int:x>"),
        ("File <stdin>", "File <stdin>"),
        (r"a \<int> \<b", r"a \<int> <b"),
        (r"a \\<int>", r"a \\<int>"),
        (r"\<\<int>", r"<\<int>"),
        (r"\<*> b", r"\<*> b"),
    ],
)
def test_a_template_is_printed_in_its_shortest_form(text: str, formatted: str) -> None:
    template = parse_template(text)
    assert format_template(template) == formatted
    assert parse_template(formatted) == template


def test_templates_are_equal_if_their_parts_are() -> None:
    assert parse_template("a  <int> <*>") == parse_template(" a <int>")
    assert parse_template("a <int>") != parse_template("a <int:x>")
    assert parse_template("a <int>") != parse_template(r"a \<int>")
    assert len({parse_template("a  b"), parse_template("a b")}) == 1


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        case("good", "rank <int:rank> has failed with exit code <int>", []),
        case("good with a gap", "Watchdog caught <*> timeout", []),
        case("escaped slip", r"Traceback in \<string>: failed", []),
        case(
            "too few letters",
            "rank <int>: OOM at <hex>",
            [("template-open", "has no literal part of 6 letters; keep more of the line's own words")],
        ),
        case(
            "letters are not added up over parts",
            "abc <int> def <int> ghi",
            [("template-open", "has no literal part of 6 letters; keep more of the line's own words")],
        ),
        case("six letters between quotation marks", 'no "broken" word "at all"', []),
        case(
            "letters are not added up over characters that JSON escapes",
            'rank "a" <b> "five" & then é all',
            [("template-open", "has no literal part of 6 letters; keep more of the line's own words")],
        ),
        case(
            "empty", "<*>", [("template-open", "has no literal part of 6 letters; keep more of the line's own words")]
        ),
        case(
            "starts with a placeholder",
            "<host:peer> refused the connection",
            [("template-start", "starts with <host:peer>; begin with the first word that never varies")],
        ),
        case(
            "touching",
            "failed at <int><hex:x>",
            [("template-touching", "<int> and <hex:x> touch; use one of them, or put text between")],
        ),
        case(
            "gap that touches",
            "failed at <*><int>",
            [("template-touching", "<*> and <int> touch; use one of them, or put text between")],
        ),
        case(
            "segment that starts with a placeholder",
            "failed at <*> <int> bytes",
            [
                ("template-start", "a segment after <*> holds a blank only; remove the gap"),
                ("template-start", "<*> is followed by <int>; a segment starts with literal text"),
            ],
        ),
        case(
            "five gaps",
            "failed <*>a<*>b<*>c<*>d<*>e",
            [("template-gaps", "has 5 gaps <*>, at most 4 are allowed; use typed placeholders")],
        ),
        case(
            "name twice",
            "failed <int:n> of <int:n> and <hex:m>",
            [("template-name", "names two placeholders 'n'; give each its own name")],
        ),
        case(
            "slip",
            "failed at <itn:n> and <address>",
            [
                ("template-slip", "<itn> is no placeholder; did you mean <int>? A literal one is written \\<itn>"),
                (
                    "template-slip",
                    "<address> is no placeholder; did you mean <addr>? A literal one is written \\<address>",
                ),
            ],
        ),
        case(
            "capital type",
            "failed at <INT>",
            [("template-slip", "<INT> is no placeholder; did you mean <int>? A literal one is written \\<INT>")],
        ),
        case(
            "name with a digit",
            "failed at <int:rank1>",
            [
                (
                    "template-slip",
                    "<int:rank1> is no placeholder; a name has 1 to 40 letters and underscores. "
                    "A literal one is written \\<int:rank1>",
                )
            ],
        ),
        case("ordinary words in angles", "failed in <module> of <stdin>, <lambda>", []),
    ],
)
def test_faults_of_form_are_named_with_the_remedy(text: str, faults: list[tuple[str, str]]) -> None:
    assert [(fault.code, fault.message) for fault in form_faults(parse_template(text))] == faults


def capture(name: str) -> Operand:
    return Operand("capture", name)


def number(value: str) -> Operand:
    return Operand("number", value)


@pytest.mark.parametrize(
    ("text", "comparison"),
    [
        case("number", "port != 0", Comparison(capture("port"), "!=", number("0"))),
        case("without blanks", "port!=0", Comparison(capture("port"), "!=", number("0"))),
        case("constant first", " 1 <= rank ", Comparison(number("1"), "<=", capture("rank"))),
        case("two captures", "reserved > requested", Comparison(capture("reserved"), ">", capture("requested"))),
        case("negative fraction", "x >= -1.5", Comparison(capture("x"), ">=", number("-1.5"))),
        case("size", "free < 2 GiB", Comparison(capture("free"), "<", number("2 GiB"))),
        case("size that touches its unit", "free < 20.5MB", Comparison(capture("free"), "<", number("20.5MB"))),
        case("version", "loaded == 2.4.1", Comparison(capture("loaded"), "==", Operand("version", "2.4.1"))),
        case("text", "kind == 'a < b'", Comparison(capture("kind"), "==", Operand("text", "a < b"))),
        case("text first", '"a == b" != kind', Comparison(Operand("text", "a == b"), "!=", capture("kind"))),
        case("empty text", "kind != ''", Comparison(capture("kind"), "!=", Operand("text", ""))),
    ],
)
def test_comparisons_are_parsed(text: str, comparison: Comparison) -> None:
    assert parse_comparison(text) == comparison


def test_a_comparison_knows_its_captures() -> None:
    parsed = parse_comparison("reserved > requested")
    assert isinstance(parsed, Comparison)
    assert parsed.names == {"reserved", "requested"}
    constant = parse_comparison("reserved > 'requested'")
    assert isinstance(constant, Comparison)
    assert constant.names == {"reserved"}


FORM = "; write it as 'port != 0' with one of == != < <= > >="
OPERAND = " is neither the name of a placeholder nor a number, size, version or quoted text"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        case("word", "port", f"'port' is no comparison{FORM}"),
        case("assignment", "port = 0", f"'port = 0' is no comparison{FORM}"),
        case("nothing on one side", "== 0", f"'== 0' is no comparison{FORM}"),
        case("two lines", "port\n!= 0\n1", f"'port\n!= 0\n1' is no comparison{FORM}"),
        case("wrong operator", "port <> 0", f"'> 0'{OPERAND}"),
        case("chain", "a == b == c", f"'b == c'{OPERAND}"),
        case("name with a digit", "rank1 == 0", f"'rank1'{OPERAND}"),
        case("unknown unit", "free < 2 parsecs", f"'2 parsecs'{OPERAND}"),
        case("open quotation mark", "kind == 'a", f"''a'{OPERAND}"),
        case("arithmetic", "a + 1 > b", f"'a + 1'{OPERAND}"),
        case("call", "__import__('os') == a", f"'__import__('os')'{OPERAND}"),
        case("two constants", "1 == 2", "'1 == 2' compares two constants; name a placeholder on one side"),
    ],
)
def test_what_is_no_comparison_is_said(text: str, message: str) -> None:
    assert parse_comparison(text) == Fault("comparison", message)


@pytest.mark.parametrize(
    ("name", "matches", "others"),
    [
        ("int", "0 -12 98765432109876543210", "- 1.5 0x1f x"),
        ("num", "1 -1.5 .5 3. 1e-9 +2E10 nan inf NaN", "e5 1e . -"),
        ("hex", "0x7f3a DEADbeef 0 12", "0xg 0x"),
        ("ip", "10.0.0.1 ::1 [::1] fe80::1%eth0 [fe80::1%eth0] ::ffff:10.0.0.7 2001:db8:0:0:0:0:0:1", "10.0.0 host 1"),
        ("port", "1 29500 65535", "0 080 123456 x"),
        ("host", "gpu-04 node_7.cluster.local 10.0.0.1", "a:b [a] a/b"),
        ("addr", "[::1]:29500 host:80 [gpu-04]:0 <unknown>", "a/b a,b"),
        ("path", "/data/x.py train.py ../a-b_c/d=e@f+g~h", "a:b 'a' a(b a,b a[0] `a`"),
        ("word", "ALLREDUCE _x9", "9x a-b a.b"),
        ("name", "torch.nn.Linear meta/Llama-3:8b@main+x", "a(b a,b"),
        ("tok", "(anything;at='all')", ""),
        ("size", "20.00MiB 512KB 7B 3GB 40960kB 12bytes", "20 MiB 5M"),
        ("ver", "2 2.13.0 12.4.1+cu126 580.65.06 2.1a0.dev3", "v2 2. .5"),
    ],
)
def test_types_match_what_the_format_says(name: str, matches: str, others: str) -> None:
    pattern = re.compile(PATTERNS[name])
    assert [text for text in matches.split() if not pattern.fullmatch(text)] == []
    assert [text for text in others.split() if pattern.fullmatch(text)] == []


@pytest.mark.parametrize(
    ("name", "matches", "others"),
    [
        ("size", ["20.00 MiB", "1 byte", "16 bytes", "1.5 GB"], ["20  MiB", "MiB", "1 kilo"]),
        ("shape", ["[3, 4]", "(3, 4)", "torch.Size([3, 4])", "[]", "(3,)"], ["3, 4", "[a, b]"]),
        ("str", ["", "any words: <here> (or not)"], ["it's", 'a "b"', "a\nb"]),
    ],
)
def test_types_with_blanks_match_what_the_format_says(name: str, matches: list[str], others: list[str]) -> None:
    pattern = re.compile(PATTERNS[name])
    assert [text for text in matches if not pattern.fullmatch(text)] == []
    assert [text for text in others if pattern.fullmatch(text)] == []


def test_every_type_but_the_gap_has_a_pattern_in_the_same_order() -> None:
    assert [*PATTERNS, "*"] == list(TYPES)


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_bounded_and_read_alike_by_every_engine(name: str) -> None:
    outside = re.sub(r"\[(?:\\.|[^\]\\])*\]", "", PATTERNS[name])
    assert not re.search(r"(?<!\\)[*+](?!\])", outside)
    assert not re.search(r"\\[^.(\[\])tn]", PATTERNS[name])
    assert not re.search(r"\((?!\?:)", outside.replace(r"\(", ""))
