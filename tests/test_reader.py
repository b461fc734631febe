"""What the reader takes and refuses, and that it names the true place."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from faultbook.reader import MAX_BYTES, KeyPath, Source, parse_source, read_source
from faultbook.violations import format_violation


def parse(text: str) -> tuple[Source | None, list[str]]:
    source, violations = parse_source(text, Path("x.yaml"), "x.yaml")
    return source, [format_violation(violation) for violation in violations]


def data(text: str) -> object:
    source, violations = parse(text)
    assert violations == []
    assert source is not None
    return source.data


def read(directory: Path, raw: bytes) -> tuple[Source | None, list[str]]:
    path = directory / "x.yaml"
    path.write_bytes(raw)
    source, violations = read_source(path, "x.yaml")
    return source, [format_violation(violation) for violation in violations]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("2026-11-30", "2026-11-30"),
        ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("=", "="),
        ("0b1", "0b1"),
        ("1.2.3", "1.2.3"),
        (".", "."),
        ("'404'", "404"),
        ('"true"', "true"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("404", 404),
        ("-7", -7),
        ("012", 12),
        ("0o17", 15),
        ("0x1f", 31),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        ("+.5", 0.5),
        ("-.inf", float("-inf")),
    ],
)
def test_values_have_the_types_of_the_yaml_1_2_core_schema(text: str, value: object) -> None:
    read = data(f"a: {text}\n")
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


def test_not_a_number_is_a_number() -> None:
    value = data("a: .NaN\n")
    assert isinstance(value, dict)
    assert value["a"] != value["a"]


def test_keys_are_text_and_merge_keys_are_ordinary() -> None:
    assert data("1: a\ntrue: b\nno: c\n<<: {d: 1}\n") == {"1": "a", "true": "b", "no": "c", "<<": {"d": 1}}


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, "0o" + "7" * 5000, "1e" + "9" * 5000])
def test_numbers_without_bound_are_read_and_can_be_shown(digits: str) -> None:
    value = data(f"a: {digits}\n")
    assert isinstance(value, dict)
    assert str(value["a"])


def test_block_text_keeps_its_lines_and_folded_text_does_not() -> None:
    assert data("a: |\n  b\n  c\nd: >-\n  e\n  f\n") == {"a": "b\nc\n", "d": "e f"}


def test_signs_of_yaml_within_text_are_no_anchors_and_no_tags() -> None:
    text = "a: make && ./run 2>&1 &\nb: port != 0\nc: '&x !y *z'\nd: |\n  &e !f *g\ne: R&D wow!\n"
    assert data(text) == {
        "a": "make && ./run 2>&1 &",
        "b": "port != 0",
        "c": "&x !y *z",
        "d": "&e !f *g\n",
        "e": "R&D wow!",
    }


UNTAGGED = "anchors and aliases are not used in entries; write the text out"


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        pytest.param(
            "title: Port 29500: address in use\n",
            [
                "1:18: error[yaml]: not YAML: mapping values are not allowed in this context; "
                "text that contains ': ' must be quoted or start with '>-'"
            ],
            id="colon in plain text",
        ),
        pytest.param(
            "a:\n\tb: 1\n",
            [
                "2:1: error[yaml]: not YAML: found character that cannot start any token while scanning for the next "
                "token; indent with blanks, not with a tab"
            ],
            id="tab",
        ),
        pytest.param(
            "a: `x` fails\n",
            [
                "1:4: error[yaml]: not YAML: found character that cannot start any token while scanning for the next "
                "token; quote the text"
            ],
            id="backtick",
        ),
        pytest.param(
            'a: "C:\\q"\n',
            [
                "1:7: error[yaml]: not YAML: found unknown escape character while parsing a quoted scalar; "
                "use single quotes, or write the backslash twice"
            ],
            id="backslash",
        ),
        pytest.param(
            "a: 1\nb: 'open\nc: 2\n",
            [
                "2:4: error[yaml]: not YAML: found unexpected end of stream while scanning a quoted scalar; "
                "the quotation mark here is never closed"
            ],
            id="open quotation mark is reported where it stands",
        ),
        pytest.param(
            "a: [1, 2\nb: 3\n",
            [
                "1:4: error[yaml]: not YAML: did not find expected ',' or ']' while parsing a flow sequence; "
                "the bracket here is never closed"
            ],
            id="open bracket is reported where it stands",
        ),
        pytest.param(
            "a: {b: 1\n",
            [
                "1:4: error[yaml]: not YAML: did not find expected ',' or '}' while parsing a flow mapping; "
                "the brace here is never closed"
            ],
            id="open brace",
        ),
        pytest.param(
            "a: 'it's'\n",
            [
                "1:8: error[yaml]: not YAML: did not find expected key while parsing a block mapping; "
                "look at the indentation, and for quotation marks within quoted text"
            ],
            id="apostrophe within single quotes",
        ),
        pytest.param(
            "a:\n  b: 1\n c: 2\n",
            [
                "3:2: error[yaml]: not YAML: did not find expected key while parsing a block mapping; "
                "look at the indentation, and for quotation marks within quoted text"
            ],
            id="indentation",
        ),
        pytest.param(
            "a: 1\n---\nb: 2\n",
            [
                "2:1: error[yaml]: not YAML: expected a single document in the stream but found another document; "
                "one file holds one entry, remove the line '---'"
            ],
            id="second document",
        ),
        pytest.param(
            "a: *x\n",
            ["1:4: error[yaml]: not YAML: found undefined alias; text that begins with '*' must be quoted"],
            id="alias without anchor",
        ),
        pytest.param(
            "a: *\n",
            [
                "1:5: error[yaml]: not YAML: did not find expected alphabetic or numeric character while scanning an "
                "alias; text that begins with '&' or '*' must be quoted"
            ],
            id="lone asterisk",
        ),
        pytest.param("", ["1:1: error[yaml]: the file is empty; 'faultbook explain yaml' shows an entry"], id="empty"),
        pytest.param(
            "# a comment\n",
            ["1:1: error[yaml]: the file is empty; 'faultbook explain yaml' shows an entry"],
            id="comment only",
        ),
        pytest.param(
            "? [a]\n: b\n",
            ["1:3: error[yaml]: a key must be a word; quote text that begins with '{' or '['"],
            id="list as key",
        ),
        pytest.param(
            "{PID}: x\n",
            ["1:1: error[yaml]: a key must be a word; quote text that begins with '{' or '['"],
            id="mapping as key",
        ),
        pytest.param(
            "é: ééé\x07x\n",
            ["1:7: error[yaml]: the character U+0007 is not allowed in YAML; remove it"],
            id="control character behind others of several bytes",
        ),
        pytest.param(
            "a: \udc80\n",
            [
                "1:1: error[yaml]: not YAML: 'utf-8' codec can't encode character '\\udc80' in position 3: "
                "surrogates not allowed"
            ],
            id="half of a character",
        ),
        pytest.param(
            "a: 1\nb: x\x00\n", ["2:5: error[yaml]: the character U+0000 is not allowed in YAML; remove it"], id="NUL"
        ),
        pytest.param(
            "a: 1\nb: 'x\u2028y'\n",
            ["2:6: error[yaml]: the character U+2028 is not allowed in YAML; remove it"],
            id="line separator",
        ),
        pytest.param(
            "a: x\x85y\n", ["1:5: error[yaml]: the character U+0085 is not allowed in YAML; remove it"], id="next line"
        ),
        pytest.param(
            "a: 1\n\ufeffb: 2\n",
            ["2:1: error[yaml]: the character U+FEFF is not allowed in YAML; remove it"],
            id="byte order mark in the middle",
        ),
        pytest.param(
            "a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n",
            [
                "3:1: error[duplicate-key]: the key 'a' stands in line 1 already; merge the two",
                "4:11: error[duplicate-key]: the key 'd' stands in line 4 already; merge the two",
            ],
            id="every duplicate key",
        ),
        pytest.param(
            "a: 1\n'a': 2\n",
            ["2:1: error[duplicate-key]: the key 'a' stands in line 1 already; merge the two"],
            id="duplicate key in other quotes",
        ),
        pytest.param("a: &x [1]\nb: *x\n", [f"1:4: error[anchor]: {UNTAGGED}"], id="anchor"),
        pytest.param("a: &x text\n", [f"1:4: error[anchor]: {UNTAGGED}"], id="anchor that nothing uses"),
        pytest.param("&x a: 1\n", [f"1:1: error[anchor]: {UNTAGGED}"], id="anchor of a key"),
        pytest.param("&x\na: 1\n", [f"1:1: error[anchor]: {UNTAGGED}"], id="anchor of everything"),
        pytest.param('a: {"b":&x 1}\n', [f"1:9: error[anchor]: {UNTAGGED}"], id="anchor that touches the colon"),
        pytest.param("- &x [*x]\n", [f"1:3: error[anchor]: {UNTAGGED}"], id="anchor that holds itself"),
        pytest.param(
            "a: !!seq &x [1]\nb: *x\n",
            [
                f"1:4: error[anchor]: {UNTAGGED}",
                "1:4: error[yaml-tag]: the tag 'tag:yaml.org,2002:seq' is not allowed; remove it",
            ],
            id="anchor behind a tag",
        ),
        pytest.param("a: !name text\n", ["1:4: error[yaml-tag]: the tag '!name' is not allowed; remove it"], id="tag"),
        pytest.param("a: ! 5\n", ["1:4: error[yaml-tag]: the tag '!' is not allowed; remove it"], id="empty tag"),
        pytest.param(
            "a: !!bool yes\n",
            ["1:4: error[yaml-tag]: the tag 'tag:yaml.org,2002:bool' is not allowed; remove it"],
            id="tag of a core type on another value",
        ),
        pytest.param(
            "a: !!python/object/apply:os.system [id]\n",
            [
                "1:4: error[yaml-tag]: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not allowed; "
                "remove it"
            ],
            id="tag that makes objects elsewhere",
        ),
        pytest.param(
            "a: !x &y 1\nb: {c: 1, c: 2}\n",
            [
                f"1:4: error[anchor]: {UNTAGGED}",
                "1:4: error[yaml-tag]: the tag '!x' is not allowed; remove it",
                "2:11: error[duplicate-key]: the key 'c' stands in line 2 already; merge the two",
            ],
            id="several faults at once",
        ),
    ],
)
def test_refused_text_is_reported_at_its_place_with_the_remedy(text: str, violations: list[str]) -> None:
    source, found = parse(text)
    assert found == [f"x.yaml:{violation}" for violation in violations]
    assert source is None


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param("a: Fails, see issue #1355 of pytorch\n", ["1:20"], id="hash in text"),
        pytest.param("a:\n  - two words   # lost\n  - more words\t# too\n", ["2:14", "3:15"], id="in a list"),
        pytest.param("a: two words # lost\r\nb: two words # lost\r\n", ["1:13", "2:13"], id="CRLF"),
        pytest.param("# a note\na: word # a note\nb: 'two words' # a note\nc: |\n  x # y\n", [], id="real comments"),
    ],
)
def test_text_that_ends_in_a_comment_is_reported_where_it_ends(text: str, places: list[str]) -> None:
    source, found = parse(text)
    assert source is not None
    assert [violation.split(": error[text-lost]")[0] for violation in found] == [f"x.yaml:{place}" for place in places]


def test_a_lost_comment_is_shown() -> None:
    assert parse("a: Fails, see issue #1355\n")[1] == [
        "x.yaml:1:20: error[text-lost]: '#1355' is read as a comment and lost; quote the text before and after ' #'"
    ]


@pytest.mark.parametrize(
    ("levels", "code"), [(24, None), (25, "too-deep"), (900, "too-deep"), (1100, "yaml"), (100_000, "yaml")]
)
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ("- ", "")])
def test_nesting_is_bounded_for_lists_of_either_form(levels: int, code: str | None, opened: str, closed: str) -> None:
    source, violations = parse_source(f"a:\n  {opened * levels}x{closed * levels}\n", Path("x"), "x")
    assert [violation.code for violation in violations] == ([code] if code else [])
    assert (source is None) == (code is not None)


def test_nesting_is_reported_at_the_first_part_that_is_too_deep() -> None:
    assert parse("a: " + "[" * 30 + "]" * 30)[1] == [
        "x.yaml:1:28: error[too-deep]: nested deeper than 24 levels; entries are flat"
    ]


@pytest.mark.parametrize(
    "tag", [pytest.param("", id="plain"), pytest.param("!!seq ", id="with a tag before each anchor")]
)
def test_a_bomb_of_aliases_costs_neither_time_nor_memory(tag: str) -> None:
    level = "a{0}: {2}&a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n"
    text = f"a0: {tag}&a0 [x]\n" + "".join(level.format(i, i - 1, tag) for i in range(1, 20))
    script = textwrap.dedent(
        """
        import resource, sys
        from pathlib import Path
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        from faultbook.reader import parse_source
        source, violations = parse_source(sys.stdin.read(), Path("x"), "x")
        print(source, {violation.code for violation in violations} >= {"anchor"})
        """
    )
    run = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("None True\n", 0)


@pytest.mark.parametrize(
    ("path", "key", "place"),
    [
        ((), False, (1, 1)),
        (("b",), False, (2, 4)),
        (("b",), True, (2, 1)),
        (("c", 1), False, (5, 5)),
        (("c", 1), True, (5, 5)),
        (("d", 0, "e"), False, (7, 8)),
        (("d", 0, "e"), True, (7, 5)),
        (("é", "f"), False, (8, 8)),
        (("d", 0, "missing"), False, (7, 5)),
        (("d", 0, "missing", "deeper"), True, (7, 5)),
        (("d", 7), False, (7, 3)),
        (("b", "run"), False, (2, 4)),
        (("missing",), True, (1, 1)),
    ],
)
def test_a_part_is_found_again_or_the_nearest_part_around_it(path: KeyPath, key: bool, place: tuple[int, int]) -> None:
    text = "a: 1\nb: text\nc:\n  - x\n  - yy\nd:\n  - e: 2\né: {f: 3}\n"
    source, _ = parse(text)
    assert source is not None
    found = source.locate(path, key=key)
    assert (found.line, found.column) == place


def test_places_of_very_many_violations_take_time_in_proportion() -> None:
    source, _ = parse("".join(f"key{i}: {i}\n" for i in range(5_000)))
    assert source is not None
    lines = [source.locate((f"key{i}",)).line for i in range(5_000)]
    assert lines == list(range(1, 5_001))


def test_a_word_is_given_as_it_was_spelled() -> None:
    source, _ = parse("a: 1.10\nb: [0x1F, 2]\n")
    assert source is not None
    assert [source.word_at(source.locate(path)) for path in (("a",), ("b", 0), ("b", 1))] == ["1.10", "0x1F", "2"]


def test_a_byte_order_mark_at_the_start_counts_for_nothing(tmp_path: Path) -> None:
    source, violations = read(tmp_path, b"\xef\xbb\xbfa: 1\n")
    assert violations == []
    assert source is not None
    assert source.data == {"a": 1}
    assert source.locate(("a",), key=True).column == 1


@pytest.mark.parametrize(
    ("raw", "place", "byte"),
    [
        pytest.param(b"a: 1\nb: \xe9t\xe9\n", "2:4", "0xe9", id="Latin-1"),
        pytest.param("b: éé".encode() + b"\xff\n", "1:6", "0xff", id="columns count characters"),
        pytest.param(b"\xef\xbb\xbfa: b\xff\n", "1:5", "0xff", id="behind a byte order mark"),
        pytest.param(b"a: \xed\xa0\x80\n", "1:4", "0xed", id="surrogate"),
        pytest.param(b"a: \xc0\x80\n", "1:4", "0xc0", id="overlong"),
        pytest.param("a: 1\n".encode("utf-16"), "1:1", "0xff", id="UTF-16 with byte order mark"),
        pytest.param(b"\x7fELF\x02\x01\x80", "1:7", "0x80", id="binary"),
        pytest.param(b"a: \xe2\x80", "1:4", "0xe2", id="cut within a character"),
    ],
)
def test_bytes_that_are_not_utf_8_are_reported_at_the_first_of_them(
    tmp_path: Path, raw: bytes, place: str, byte: str
) -> None:
    source, violations = read(tmp_path, raw)
    assert source is None
    assert violations == [f"x.yaml:{place}: error[not-utf-8]: byte {byte} is not UTF-8; save the file as UTF-8"]


def test_utf_16_without_a_mark_is_refused_at_its_first_zero(tmp_path: Path) -> None:
    assert read(tmp_path, "a: 1\n".encode("utf-16-le")) == (
        None,
        ["x.yaml:1:2: error[yaml]: the character U+0000 is not allowed in YAML; remove it"],
    )


def test_a_file_of_the_greatest_size_is_read_and_a_greater_one_is_not(tmp_path: Path) -> None:
    text = b"a: " + b"x" * (MAX_BYTES - 3)
    source, violations = read(tmp_path, text)
    assert source is not None
    assert violations == []
    assert read(tmp_path, text + b"x") == (
        None,
        [
            "x.yaml:1:1: error[file-too-large]: the file has 262145 bytes, at most 262144 are read; "
            "move long logs to logs/"
        ],
    )


def test_a_file_of_ten_megabytes_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    with path.open("wb") as file:
        file.truncate(10_000_000)
    assert [violation.code for violation in read_source(path, "x.yaml")[1]] == ["file-too-large"]


NO_FILE = ["x.yaml:1:1: error[unreadable-file]: not a regular file; put the file itself here"]


def shown(path: Path) -> list[str]:
    source, violations = read_source(path, "x.yaml")
    assert source is None
    return [format_violation(violation) for violation in violations]


@pytest.mark.parametrize("target", ["y.yaml", "missing.yaml", "x.yaml", "/etc/hostname"])
def test_links_are_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "y.yaml").write_text("a: 1\n")
    (tmp_path / "x.yaml").symlink_to(target)
    assert shown(tmp_path / "x.yaml") == NO_FILE


def test_directories_and_missing_files_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").mkdir()
    assert shown(tmp_path / "x.yaml") == NO_FILE
    assert shown(tmp_path / "y.yaml") == NO_FILE


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    assert shown(tmp_path / "x.yaml") == NO_FILE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")
    path.chmod(0)
    assert shown(path) == ["x.yaml:1:1: error[unreadable-file]: cannot be read: Permission denied"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs the proc file system of Linux")
def test_a_file_that_fails_while_it_is_read_is_reported() -> None:
    assert shown(Path("/proc/self/mem")) == ["x.yaml:1:1: error[unreadable-file]: cannot be read: Input/output error"]
