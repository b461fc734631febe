"""What is loaded from directories of entries, and every fault of files that lie in them."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import MAIN, OTHER, check_written, entry_yaml, load_written, write_corpus
from faultbook.corpus import Corpus, load_corpus, shown_path
from faultbook.schema import Status
from faultbook.violations import format_violation


def load(*directories: Path, root: Path) -> tuple[Corpus, list[str]]:
    corpus, violations = load_corpus(directories, root)
    return corpus, [format_violation(violation) for violation in violations]


def write(directory: Path, files: Mapping[str, str | bytes], entries: str = "entries") -> Path:
    """Write files as they are, without anything around them."""
    for path, text in files.items():
        file = directory / entries / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return directory / entries


def case(name: str, *values: Any) -> Any:
    return pytest.param(*values, id=name)


def test_entries_are_loaded_by_slug_with_category_and_vocabulary(tmp_path: Path) -> None:
    corpus = load_written(write_corpus(tmp_path, {OTHER: "", MAIN: ""}))
    assert {slug: record.category for slug, record in corpus.records.items()} == {
        "open-files-limit": "host",
        "shm-exhausted": "data",
    }
    assert list(corpus.records) == ["open-files-limit", "shm-exhausted"]
    assert corpus.records["shm-exhausted"].source.shown == "entries/data/shm-exhausted.yaml"
    assert set(corpus.categories) == {"data", "host"}
    assert set(corpus.tags) == {"dataloader", "shared-memory", "ulimit"}
    assert set(corpus.systems) == {"linux", "pytorch"}
    assert set(corpus.wanted) == {"worker-killed"}
    assert (corpus.featured, corpus.released, corpus.unreadable, corpus.incomplete) == (
        (),
        (),
        frozenset(),
        frozenset(),
    )


def test_published_entries_and_aliases_are_told_from_the_rest(tmp_path: Path) -> None:
    corpus = load_written(
        write_corpus(
            tmp_path,
            {MAIN: "aliases: [shm-full, bus-error]\n", OTHER: "status: draft\naliases: [emfile-error]\n"},
        )
    )
    assert [record.slug for record in corpus.published()] == ["shm-exhausted"]
    assert corpus.records["open-files-limit"].entry.status is Status.DRAFT
    assert corpus.aliases() == {
        "shm-full": "shm-exhausted",
        "bus-error": "shm-exhausted",
        "emfile-error": "open-files-limit",
    }


def test_lists_of_slugs_are_read(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    write(tmp_path, {"_featured.yaml": "- shm-exhausted\n", "_released.yaml": "- shm-exhausted\n- gone-away\n"})
    corpus = load_written(entries)
    assert corpus.featured == ("shm-exhausted",)
    assert corpus.released == ("shm-exhausted", "gone-away")


def test_a_directory_that_is_missing_is_reported(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert len(load(tmp_path / "loop", root=tmp_path)[1]) == 1
    corpus, violations = load(tmp_path / "nowhere", root=tmp_path)
    assert not corpus.records
    assert violations == [
        "nowhere:1:1: error[no-entries]: there is no such directory; give one that holds entries with --entries"
    ]


@pytest.mark.parametrize(
    "files", [{}, {"_tags.yaml": "{}\n"}, {"README.md": "words\n"}, {".git/x.yaml": "a\n", "data/.x.yaml": "a\n"}]
)
def test_a_directory_without_entries_is_reported(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "entries").mkdir()
    assert load(write(tmp_path, files), root=tmp_path)[1] == [
        "entries:1:1: error[no-entries]: holds no entry; put one at <category>/<slug>.yaml"
    ]


PLACED = "an entry lies at <category>/<slug>.yaml; move it there"
NAMED = "the file name is the slug; use 2 to 60 small letters, digits and single hyphens"
KNOWN = (
    "known are _categories.yaml, _tags.yaml, _systems.yaml, _wanted.yaml, _reproduced.yaml, _featured.yaml, "
    "_released.yaml"
)


@pytest.mark.parametrize(
    ("path", "violation"),
    [
        case("beside the categories", "shm-full.yaml", f"misplaced-file]: {PLACED}"),
        case("too deep", "data/loader/shm-full.yaml", f"misplaced-file]: {PLACED}"),
        case("among the logs", "data/logs/shm-full.yaml", f"misplaced-file]: {PLACED}"),
        case("short ending", "data/shm-full.yml", "misplaced-file]: the name of an entry ends in '.yaml'; rename it"),
        case(
            "capital ending", "data/shm-full.YAML", "misplaced-file]: the name of an entry ends in '.yaml'; rename it"
        ),
        case(
            "misspelt vocabulary",
            "_tag.yaml",
            f"misplaced-file]: is no vocabulary file (did you mean '_tags.yaml'?); {KNOWN}",
        ),
        case(
            "vocabulary with another ending",
            "_tags.yml",
            f"misplaced-file]: is no vocabulary file (did you mean '_tags.yaml'?); {KNOWN}",
        ),
        case("unknown vocabulary", "_authors-and-people.yaml", f"misplaced-file]: is no vocabulary file; {KNOWN}"),
        case("vocabulary in a category", "data/_tags.yaml", f"wrong-slug]: {NAMED}"),
        case("capitals", "data/Shm-Full.yaml", f"wrong-slug]: {NAMED}"),
        case("underscore", "data/shm_full.yaml", f"wrong-slug]: {NAMED}"),
        case("one letter", "data/x.yaml", f"wrong-slug]: {NAMED}"),
        case("over 60 letters", f"data/{'x' * 61}.yaml", f"wrong-slug]: {NAMED}"),
        case("two dots", "data/shm.full.yaml", f"wrong-slug]: {NAMED}"),
        case("letters of another script", "data/pаge.yaml", f"wrong-slug]: {NAMED}"),
        case("blank", "data/shm full.yaml", f"wrong-slug]: {NAMED}"),
        case("line feed and terminal escape", "data/a\n\x1b[2Jb.yaml", f"wrong-slug]: {NAMED}"),
    ],
)
def test_misplaced_and_misnamed_files_are_reported_and_not_read(tmp_path: Path, path: str, violation: str) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    write(tmp_path, {path: b"\xff not read"})
    shown = path.replace("\n", "\\n").replace("\x1b", "\\x1b")
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [f"entries/{shown}:1:1: error[{violation}"]
    assert list(corpus.records) == ["shm-exhausted"]


def test_a_name_that_is_not_utf_8_is_reported_in_printable_form(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    try:
        (entries / "data" / os.fsdecode(b"caf\xe9.yaml")).write_text("a: 1\n")
        (entries / os.fsdecode(b"\xff")).mkdir()
    except OSError:
        pytest.skip("this file system takes no such names")
    (entries / os.fsdecode(b"\xff") / "shm-full.yaml").write_text("a: 1\n")
    violations = load(entries, root=tmp_path)[1]
    assert violations[0].startswith("entries/\\xff/shm-full.yaml:1:1: error[missing-field]: ")
    assert violations[-1] == f"entries/data/caf\\xe9.yaml:1:1: error[wrong-slug]: {NAMED}"
    "\n".join(violations).encode()


def test_the_same_slug_in_two_categories_is_reported_at_the_second(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: "", "host/shm-exhausted.yaml": ""})
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [
        "entries/host/shm-exhausted.yaml:1:1: error[duplicate-slug]: the slug 'shm-exhausted' is taken by "
        "entries/data/shm-exhausted.yaml; rename one of the two"
    ]
    assert corpus.records["shm-exhausted"].category == "data"


def test_the_same_slug_in_two_directories_is_reported_and_neither_wins_silently(tmp_path: Path) -> None:
    first = write_corpus(tmp_path, {MAIN: ""})
    second = write_corpus(tmp_path / "own", {"host/shm-exhausted.yaml": "", OTHER: ""})
    corpus, violations = load(first, second, root=tmp_path)
    assert violations == [
        "own/entries/host/shm-exhausted.yaml:1:1: error[duplicate-slug]: the slug 'shm-exhausted' is taken by "
        "entries/data/shm-exhausted.yaml; rename one of the two"
    ]
    assert list(corpus.records) == ["open-files-limit", "shm-exhausted"]


def test_a_later_directory_adds_to_the_vocabulary(tmp_path: Path) -> None:
    first = write_corpus(tmp_path, {MAIN: ""})
    second = write(
        tmp_path,
        {
            "host/open-files-limit.yaml": entry_yaml(path=OTHER),
            "_tags.yaml": "ulimit: {group: host, text: Changed.}\nown-tag: {group: host, text: Added.}\n",
            "_featured.yaml": "- open-files-limit\n",
        },
        "own",
    )
    (first / "_featured.yaml").write_text("- shm-exhausted\n")
    corpus, violations = load(first, second, root=tmp_path)
    assert violations == []
    assert list(corpus.tags) == ["dataloader", "shared-memory", "ulimit", "own-tag"]
    assert corpus.tags["ulimit"].text == "Changed."
    assert corpus.featured == ("shm-exhausted", "open-files-limit")
    assert corpus.locate("_tags.yaml", ("own-tag",)).path == "own/_tags.yaml"


def test_files_outside_of_the_root_are_named_in_full(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    corpus, _ = load(entries, root=tmp_path / "elsewhere")
    assert corpus.records["shm-exhausted"].source.shown == str(entries / MAIN)


def test_paths_are_named_from_the_working_directory_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_corpus(tmp_path, {MAIN: ""})
    monkeypatch.chdir(tmp_path)
    corpus, _ = load_corpus([Path("entries")])
    assert corpus.records["shm-exhausted"].source.shown == f"entries/{MAIN}"
    assert shown_path(Path("x/../entries/a.yaml"), tmp_path) == "entries/a.yaml"


def test_all_faults_of_all_files_are_reported_at_once_in_order(tmp_path: Path) -> None:
    entries = write_corpus(
        tmp_path,
        {
            MAIN: "title: 404\nscope: world\n",
            OTHER: "sumary: x\n",
            "host/no-yaml.yaml": "title: a: b\n",
        },
    )
    write(tmp_path, {"_tags.yaml": "a: b: c\n", "stray.yaml": "", "data/bytes.yaml": b"\xff\xfe"})
    found = load(entries, root=tmp_path)[1]
    assert [violation.split("]: ")[0] for violation in found] == [
        "entries/_tags.yaml:1:5: error[yaml",
        "entries/data/bytes.yaml:1:1: error[not-utf-8",
        "entries/data/shm-exhausted.yaml:1:8: error[wrong-type",
        "entries/data/shm-exhausted.yaml:2:8: error[unknown-value",
        "entries/host/no-yaml.yaml:1:9: error[yaml",
        "entries/host/open-files-limit.yaml:1:1: error[unknown-field",
        "entries/stray.yaml:1:1: error[misplaced-file",
    ]


def test_a_file_with_faults_is_no_entry_but_its_slug_is_remembered(tmp_path: Path) -> None:
    corpus, _ = load(write_corpus(tmp_path, {MAIN: "title: 404\n", OTHER: ""}), root=tmp_path)
    assert list(corpus.records) == ["open-files-limit"]
    assert corpus.unreadable == {"shm-exhausted"}


@pytest.mark.parametrize(
    ("text", "violation"),
    [
        case("list", "- a\n", "1:1: error[wrong-type]: the file must be a mapping with 'title:' and so on"),
        case("text", "words\n", "1:1: error[wrong-type]: the file must be a mapping with 'title:' and so on"),
        case("null", "~\n", "1:1: error[wrong-type]: the file must be a mapping with 'title:' and so on"),
        case("comment", "# nothing\n", "1:1: error[yaml]: the file is empty; 'faultbook explain yaml' shows an entry"),
        case("nothing", "", "1:1: error[yaml]: the file is empty; 'faultbook explain yaml' shows an entry"),
    ],
)
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str, violation: str) -> None:
    entries = write_corpus(tmp_path, {OTHER: ""})
    write(tmp_path, {MAIN: text})
    assert load(entries, root=tmp_path)[1] == [f"entries/{MAIN}:{violation}"]


@pytest.mark.parametrize(
    ("name", "text", "violations"),
    [
        case(
            "faulty item",
            "_tags.yaml",
            "ulimit: {group: host, txt: a}\n",
            [
                "1:9: error[missing-field]: 'text' is missing; add it",
                "1:23: error[unknown-field]: the field 'txt' is not known (did you mean 'text'?)",
            ],
        ),
        case(
            "no mapping",
            "_systems.yaml",
            "- linux\n",
            ["1:1: error[wrong-type]: the file must be a mapping, not a list"],
        ),
        case(
            "no YAML",
            "_categories.yaml",
            "data: [\n",
            ["2:1: error[yaml]: not YAML: did not find expected node content while parsing a flow node"],
        ),
        case(
            "duplicate",
            "_wanted.yaml",
            "aa: {title: A long title, category: host}\naa: {}\n",
            ["2:1: error[duplicate-key]: the key 'aa' stands in line 1 already; merge the two"],
        ),
        case(
            "list that is a mapping",
            "_featured.yaml",
            "shm-exhausted: 1\n",
            ["1:1: error[wrong-type]: the file must be a list, not a mapping"],
        ),
        case(
            "list with other things",
            "_released.yaml",
            "- shm-exhausted\n- 404\n- No Slug\n",
            [
                '2:3: error[wrong-type]: item 2 of the file must be text, not a number (404); quote it: "404"',
                "3:3: error[wrong-form]: 'No Slug' is not a slug; use 2 to 60 small letters, digits and single hyphens",
            ],
        ),
    ],
)
def test_faults_of_vocabulary_files_are_reported(tmp_path: Path, name: str, text: str, violations: list[str]) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    write(tmp_path, {name: text})
    corpus, found = load(entries, root=tmp_path)
    assert found == [f"entries/{name}:{violation}" for violation in violations]
    assert list(corpus.records) == ["shm-exhausted"]
    assert corpus.incomplete == {name}


def test_a_link_to_a_file_is_not_followed_whether_it_leads_in_or_out(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    outside = tmp_path / "outside.yaml"
    outside.write_text(entry_yaml())
    (entries / "data" / "leads-in.yaml").symlink_to("shm-exhausted.yaml")
    (entries / "data" / "leads-nowhere.yaml").symlink_to("missing.yaml")
    (entries / "data" / "leads-out.yaml").symlink_to(outside)
    (entries / "_featured.yaml").symlink_to("missing")
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [
        f"entries/{name}:1:1: error[unreadable-file]: not a regular file; put the file itself here"
        for name in ("_featured.yaml", "data/leads-in.yaml", "data/leads-nowhere.yaml", "data/leads-out.yaml")
    ]
    assert list(corpus.records) == ["shm-exhausted"]


def test_a_link_to_a_directory_is_reported_and_not_followed(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    outside = write(tmp_path, {"open-files-limit.yaml": entry_yaml(path=OTHER)}, "outside")
    (entries / "host").symlink_to(outside)
    (entries / "loop").symlink_to(entries)
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [
        f"entries/{name}:1:1: error[unreadable-file]: a link to a directory is not followed; "
        "put the directory itself here"
        for name in ("host", "loop")
    ]
    assert list(corpus.records) == ["shm-exhausted"]


def test_the_directory_of_entries_itself_may_be_a_link(tmp_path: Path) -> None:
    write_corpus(tmp_path / "real", {MAIN: ""})
    (tmp_path / "entries").symlink_to(tmp_path / "real" / "entries")
    corpus, violations = load(tmp_path / "entries", root=tmp_path)
    assert violations == []
    assert corpus.records["shm-exhausted"].source.shown == f"entries/{MAIN}"


def test_pipes_sockets_and_directories_with_the_name_of_an_entry_are_reported_and_do_not_block(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    os.mkfifo(entries / "data" / "a-pipe.yaml")
    os.mkfifo(entries / "_featured.yaml")
    (entries / "data" / "a-folder.yaml").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(entries / "data" / "a-socket.yaml"))
        violations = load(entries, root=tmp_path)[1]
    assert violations == [
        f"entries/{name}:1:1: error[unreadable-file]: not a regular file; put the file itself here"
        for name in ("_featured.yaml", "data/a-pipe.yaml", "data/a-socket.yaml")
    ]


def test_an_entry_of_ten_megabytes_is_refused_beside_one_that_is_read(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {OTHER: ""})
    write(tmp_path, {MAIN: entry_yaml() + "#" * 10_000_000})
    size = (entries / MAIN).stat().st_size
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [
        f"entries/{MAIN}:1:1: error[file-too-large]: the file has {size} bytes, at most 262144 are read; "
        "move long logs to logs/"
    ]
    assert list(corpus.records) == ["open-files-limit"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every directory")
def test_files_and_directories_without_permission_are_reported(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: "", OTHER: "", "host/locked.yaml": ""})
    (entries / "data").chmod(0)
    (entries / "host" / "locked.yaml").chmod(0)
    try:
        violations = load(entries, root=tmp_path)[1]
    finally:
        (entries / "data").chmod(0o755)
    assert violations == [
        "entries/data:1:1: error[unreadable-file]: cannot be read: Permission denied",
        "entries/host/locked.yaml:1:1: error[unreadable-file]: cannot be read: Permission denied",
    ]


def logs(*names: str) -> str:
    rows = "".join(f"  - {{expect: match, origin: reproduced, file: logs/{name}}}\n" for name in names)
    return f"samples:\n{rows}"


def test_the_logs_of_samples_are_read_as_they_are(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: logs("shm-exhausted-a.log", "shm-exhausted-a.log")})
    write(tmp_path, {"data/logs/shm-exhausted-a.log": b"10%\r20%\r\n\x1b[31m\xff\x00\n"})
    corpus = load_written(entries)
    assert corpus.records["shm-exhausted"].logs == {"logs/shm-exhausted-a.log": "10%\r20%\r\n\x1b[31m\ufffd\x00\n"}


def test_a_log_that_cannot_be_read_is_reported_at_the_sample(tmp_path: Path) -> None:
    entries = write_corpus(
        tmp_path, {MAIN: logs("missing.log", "folder.log", "link.log", "pipe.log", "large.log", "fine.log")}
    )
    folder = entries / "data" / "logs"
    write(tmp_path, {"data/logs/fine.log": "a\n", "data/logs/large.log": "a" * 1_000_001, "secret.log": "b\n"})
    (folder / "folder.log").mkdir()
    (folder / "link.log").symlink_to(entries / "secret.log")
    os.mkfifo(folder / "pipe.log")
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [
        *(
            f"entries/{MAIN}:{line}:47: error[missing-log]: 'logs/{name}.log' is not a file beside the entry"
            for line, name in enumerate(("missing", "folder", "link", "pipe"), 2)
        ),
        f"entries/{MAIN}:6:47: error[missing-log]: 'logs/large.log' is over 1 MB; cut it to what is needed",
    ]
    assert corpus.records["shm-exhausted"].logs == {"logs/fine.log": "a\n"}


def test_logs_behind_a_link_to_a_directory_are_not_read(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: logs("secret.log")})
    write(tmp_path, {"secret.log": "b\n"}, "outside")
    (entries / "data" / "logs").symlink_to(tmp_path / "outside")
    corpus, violations = load(entries, root=tmp_path)
    assert violations == [
        "entries/data/logs:1:1: error[unreadable-file]: a link to a directory is not followed; "
        "put the directory itself here",
        f"entries/{MAIN}:2:47: error[missing-log]: 'logs/secret.log' is not a file beside the entry",
    ]
    assert corpus.records["shm-exhausted"].logs == {}


def test_a_place_in_an_entry_or_a_vocabulary_file_is_found(tmp_path: Path) -> None:
    corpus = load_written(write_corpus(tmp_path, {MAIN: ""}))
    violation = corpus.records["shm-exhausted"].violation(("tags", 1), "x", "message")
    assert format_violation(violation) == f"entries/{MAIN}:6:20: error[x]: message"
    assert str(corpus.locate("_tags.yaml", ("shared-memory",))) == "entries/_tags.yaml:4:1"
    assert str(corpus.locate("_tags.yaml", ("shared-memory", "group"), key=False)) == "entries/_tags.yaml:5:10"
    assert str(corpus.locate("_featured.yaml", (0,))) == "_featured.yaml:1:1"


@pytest.mark.parametrize("name", ["_categories.yaml", "_tags.yaml", "_systems.yaml", "_wanted.yaml"])
def test_what_a_broken_vocabulary_file_lacks_is_not_reported_at_every_entry(tmp_path: Path, name: str) -> None:
    entries = write_corpus(tmp_path, {MAIN: "", OTHER: ""})
    write(tmp_path, {name: "data: [\n"})
    assert [(found.location.path, found.code) for found in check_written(entries)] == [(f"entries/{name}", "yaml")]
