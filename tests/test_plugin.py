"""Builds through MkDocs: what ends one, what is reported, and that the old site stands until the new one is whole."""

from __future__ import annotations

import gc
import logging
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faultbook.plugin.output import with_script_hashes
from markup import read_html
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort
from sites import ABOUT, Project, copy_of, edited, mkdocs_build, new_project, snapshot, write_private_entries

PORT = "launch/rendezvous-port-taken.yaml"
WARN = (
    "import logging\nfrom mkdocs.plugins import event_priority\n\n"
    "@event_priority({priority})\ndef {event}(*args, **kwargs):\n"
    "    logging.getLogger('mkdocs.hook').warning('careful')\n"
)


@pytest.fixture
def project(built: Project, tmp_path: Path) -> Project:
    """A copy of the built project."""
    return copy_of(built, tmp_path / "project")


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose site was never built."""
    return new_project(tmp_path_factory.mktemp("unbuilt") / "project")


def break_entry(project: Project) -> None:
    text = (project.entries / PORT).read_text("utf-8")
    project.write(f"entries/{PORT}", text.replace("tags: [rendezvous, tcp-port,", "tags: [rendezvous, tcp-prt,"))


def break_yaml(project: Project) -> None:
    project.write(f"entries/{PORT}", "title: [unclosed\n")


def break_vocabulary(project: Project) -> None:
    project.write("entries/_tags.yaml", "rendezvous: {group: launch}\n")


def link_to_no_page(project: Project) -> None:
    project.write("docs/about.md", ABOUT + "\n[x](../entries/nowhere/)\n")


def link_to_no_file(project: Project) -> None:
    project.write("docs/about.md", ABOUT + "\n[x](nowhere.md)\n")


def link_to_no_anchor(project: Project) -> None:
    project.write("docs/about.md", ABOUT + '\n<a href="../codes/#nothing">x</a>\n')


def dead_link_in_template(project: Project) -> None:
    project.write("templates/wanted.html", "<h1 id=\"title\">Wanted</h1><a href='../nowhere/'>x</a>\n")


def dead_link_in_frame(project: Project) -> None:
    project.write("templates/theme/partials/footer.html", "<a href=\"{{ 'nowhere/' | url }}\">x</a>\n")


def same_id_twice(project: Project) -> None:
    project.write("templates/wanted.html", '<h1 id="title">Wanted</h1><p id="title">x</p>\n')


def template_of_wrong_syntax(project: Project) -> None:
    project.write("templates/wanted.html", "<h1>\n{% if %}\n")


def template_with_unknown_value(project: Project) -> None:
    project.write("templates/wanted.html", "<h1>\n{{ nothing }}\n")


def template_that_includes_nothing(project: Project) -> None:
    project.write("templates/wanted.html", '{% include "nowhere.html" %}\n')


def template_that_adds_words_to_numbers(project: Project) -> None:
    project.write("templates/wanted.html", "<h1>\n{{ title + 1 }}\n")


def frame_of_wrong_syntax(project: Project) -> None:
    project.write("templates/theme/partials/footer.html", "<footer>\n{% if %}\n")


def page_missing_from_nav(project: Project) -> None:
    project.configure(nav=[{"About": "about.md"}, {"Gone": "gone.md"}])


def warning_of_a_hook(project: Project) -> None:
    project.write("hook.py", WARN.format(event="on_files", priority=0))
    project.configure(hooks=["hook.py"])


def early_warning_of_a_hook(project: Project) -> None:
    project.write("hook.py", WARN.format(event="on_config", priority=200))
    project.configure(hooks=["hook.py"])


def ours(**settings: object) -> dict[str, object]:
    """Settings of the plugin."""
    return {"plugins": [{"faultbook": settings}]}


BROKEN = {
    break_entry: "entries/launch/rendezvous-port-taken.yaml:5:20: error[unknown-tag]: the tag 'tcp-prt' is not in",
    break_yaml: "entries/launch/rendezvous-port-taken.yaml:1:8: error[yaml]: not YAML: ",
    break_vocabulary: "entries/_tags.yaml:1:13: error[missing-field]: 'text' is missing",
    link_to_no_page: "site: error[dead-link]: 'about/' links to 'entries/nowhere/', which does not exist",
    link_to_no_file: "site: error[dead-link]: 'about/' links to 'about/nowhere.md', which does not exist",
    link_to_no_anchor: "site: error[dead-link]: 'about/' links to 'codes/#nothing', but that page has no such anchor",
    dead_link_in_template: "site: error[dead-link]: 'wanted/' links to 'nowhere/', which does not exist",
    dead_link_in_frame: "site: error[dead-link]: 'the home page' links to 'nowhere/', which does not exist",
    same_id_twice: "site: error[dead-link]: 'wanted/' has the id 'title' twice",
    template_of_wrong_syntax: "templates/wanted.html:2:1: error[template]: Expected an expression",
    template_with_unknown_value: "templates/wanted.html:2:1: error[template]: 'nothing' is undefined; mend",
    template_that_includes_nothing: "templates/wanted.html:1:1: error[template]: there is no template 'nowhere.html'",
    template_that_adds_words_to_numbers: "templates/wanted.html:2:1: error[template]: can only concatenate str",
    frame_of_wrong_syntax: "templates/theme/partials/footer.html:2:1: error[template]: Expected an expression",
    page_missing_from_nav: "Aborted with 1 warnings in strict mode!",
    warning_of_a_hook: "Aborted with 1 warnings in strict mode!",
    early_warning_of_a_hook: "Aborted with 1 warnings in strict mode!",
}


@pytest.mark.parametrize(("change", "message"), BROKEN.items(), ids=[change.__name__ for change in BROKEN])
def test_a_build_that_fails_says_why_and_leaves_the_old_site_as_it_was(
    change: Callable[[Project], None], message: str, project: Project
) -> None:
    before = snapshot(project.site)
    change(project)
    files = {path.name for path in project.root.iterdir()}
    result = project.build()
    assert (result.code, message in result.output) == (1, True), result.output
    assert snapshot(project.site) == before
    assert {path.name for path in project.root.iterdir()} == files


@pytest.mark.parametrize("change", [link_to_no_file, dead_link_in_template, break_entry])
def test_errors_end_a_build_that_is_not_strict_too(change: Callable[[Project], None], project: Project) -> None:
    before = snapshot(project.site)
    change(project)
    project.configure(strict=False)
    assert project.build().code == 1
    assert snapshot(project.site) == before


def test_a_mistake_in_a_hook_is_shown_as_such_and_leaves_the_old_site(project: Project) -> None:
    before = snapshot(project.site)
    project.write("hook.py", "def on_post_page(output, page, config):\n    return output + None\n")
    project.configure(hooks=["hook.py"])
    with pytest.raises(TypeError):
        project.build()
    assert snapshot(project.site) == before
    assert not (project.root / ".site.building").exists()


def test_all_faults_of_all_files_are_reported_in_one_go(unbuilt: Project, tmp_path: Path) -> None:
    project = copy_of(unbuilt, tmp_path / "project")
    break_entry(project)
    break_vocabulary(project)
    project.write("entries/gpu/broken.yaml", "title: a: b\n")
    project.write("entries/host/other.yaml", "title: 404\nstatus: drafft\n")
    project.configure(use_directory_urls=False)
    output = project.build().output
    for part in (
        "entries/_tags.yaml:1:13: error[missing-field]",
        "entries/gpu/broken.yaml:1:9: error[yaml]",
        "entries/host/other.yaml:1:8: error[wrong-type]",
        "entries/host/other.yaml:2:9: error[unknown-value]",
        "mkdocs.yml:1:1: error[mkdocs-setting]",
        "the site is left as it was",
    ):
        assert part in output


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"theme": {"name": "readthedocs"}}, "the theme is 'readthedocs'; the pages need 'material'"),
        ({"theme": {"name": "materiel"}}, "Unrecognised theme name: 'materiel'"),
        ({"theme": {"name": "material"}}, "the theme loads fonts from another host; set 'font: false' below 'theme:'"),
        ({"use_directory_urls": False}, "'use_directory_urls' is false; addresses of entries need true"),
        (ours(entries=[]), "'entries' is empty; name a directory of entries, or 'packaged'"),
        (ours(entries=["nowhere"]), "nowhere:1:1: error[no-entries]: there is no such directory"),
        (ours(entries=["docs"]), "docs:1:1: error[no-entries]: holds no entry"),
        (ours(templates="tmplates"), "there is no directory 'tmplates'; correct 'templates', or remove it"),
        (ours(entry="x"), "Unrecognised configuration name: entry"),
    ],
    ids=["theme", "unknown theme", "fonts", "addresses", "no entries", "no directory", "empty", "templates", "setting"],
)
def test_settings_that_cannot_work_are_named(
    settings: dict[str, object], message: str, unbuilt: Project, tmp_path: Path
) -> None:
    project = copy_of(unbuilt, tmp_path / "project")
    project.configure(**settings)
    result = project.build()
    assert (result.code, message in result.output) == (1, True), result.output
    assert [path.name for path in project.site.iterdir()] == [".gitignore"]


def test_a_good_build_replaces_the_whole_site_but_hidden_files(project: Project) -> None:
    project.write("site/stale/index.html", "old")
    project.write("site/.nojekyll", "")
    project.write("site/.git/HEAD", "ref: refs/heads/pages\n")
    with edited(project.entries / PORT) as data:
        data["aliases"] = ["ddp-port-conflict"]
        data["title"] = "Another title of this entry"
    assert project.build().code == 0
    assert not (project.site / "stale").exists()
    assert not (project.site / "entries/address-already-in-use").exists()
    assert project.page("entries/rendezvous-port-taken/").one("h1").text == "Another title of this entry"
    assert (project.site / ".git/HEAD").is_file()
    assert (project.site / ".nojekyll").is_file()
    assert (project.site / ".gitignore").read_text("utf-8") == "*\n!.gitignore\n"
    assert not [path for path in project.root.iterdir() if path.name.startswith(".")]


def test_remains_of_a_build_that_was_killed_do_not_enter_the_site(project: Project) -> None:
    project.write(".site.building/half/index.html", "half")
    project.write(".site.old/old/index.html", "old")
    before = snapshot(project.site)
    assert project.build().code == 0
    assert snapshot(project.site).keys() == before.keys()
    assert not [path for path in project.root.iterdir() if path.name.startswith(".")]


def test_two_builds_of_the_same_files_give_the_same_site(built: Project, project: Project) -> None:
    assert project.build().code == 0
    # A packed file holds the time at which it was packed.
    assert {**snapshot(project.site), "sitemap.xml.gz": ""} == {**snapshot(built.site), "sitemap.xml.gz": ""}


def test_warnings_of_checks_are_shown_and_end_only_strict_builds(project: Project) -> None:
    with edited(project.entries / PORT) as data:
        data["faq"][0]["a"] = "Yes, always."
    before = snapshot(project.site)
    strict = project.build()
    assert strict.code == 1
    assert f"entries/{PORT}:" in strict.output
    assert "warning[faq-generic]" in strict.output
    assert snapshot(project.site) == before
    project.configure(strict=False)
    lenient = project.build()
    assert (lenient.code, lenient.output.startswith("WARNING: faultbook: entries/launch/")) == (0, True)
    assert snapshot(project.site) != before


def test_a_build_needs_no_command_line(unbuilt: Project, tmp_path: Path) -> None:
    project = copy_of(unbuilt, tmp_path / "project")
    handlers = list(logging.getLogger("mkdocs").handlers)
    build(load_config(str(project.root / "mkdocs.yml")))
    assert project.page("").one("h1").text == "What killed the run?"
    assert gc.isenabled()
    break_entry(project)
    with pytest.raises(Abort):
        build(load_config(str(project.root / "mkdocs.yml")))
    assert gc.isenabled()
    assert logging.getLogger("mkdocs").handlers == handlers


def test_settings_may_be_given_by_a_relative_path(
    unbuilt: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = copy_of(unbuilt, tmp_path / "project")
    break_entry(project)
    monkeypatch.chdir(project.root)
    assert f"\nentries/{PORT}:5:20: error" in mkdocs_build(Path("mkdocs.yml")).output


def test_site_may_lie_elsewhere(unbuilt: Project, tmp_path: Path) -> None:
    assert unbuilt.build(site_dir=str(tmp_path / "deep" / "public")).code == 0
    assert (tmp_path / "deep" / "public" / "entries/worker-failed/index.html").is_file()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["public"]
    assert [path.name for path in unbuilt.site.iterdir()] == [".gitignore"]


def test_a_project_replaces_one_template_and_keeps_the_others(project: Project) -> None:
    project.write("mine/wanted.html", '<h1 id="title">What we want: {{ count }}</h1>\n')
    project.write("mine/theme/partials/footer.html", '<footer class="mine">Ours</footer>\n')
    project.configure(**ours(templates="mine"))
    assert project.build().code == 0
    wanted = project.page("wanted/")
    assert wanted.one("h1").text == "What we want: 3"
    assert wanted.one("footer").text == "Ours"
    assert wanted.one("header", "fb-header")
    assert len(project.page("changes/").one("tbody").all("tr")) == 5


def test_a_hand_written_page_stands_in_for_a_generated_one(project: Project) -> None:
    project.write("docs/index.md", "# Our own home\n")
    assert project.build().code == 0
    assert project.page("").one("h1").text == "Our own home"


def test_a_project_needs_no_hand_written_page(unbuilt: Project, tmp_path: Path) -> None:
    project = copy_of(unbuilt, tmp_path / "project")
    shutil.rmtree(project.root / "docs")
    (project.root / "docs").mkdir()
    project.configure(site_url=None, repo_url=None, markdown_extensions=None, validation=None)
    result = project.build()
    assert (result.code, result.output) == (0, "")
    for url in ("", "wanted/", "entries/rendezvous-port-taken/"):
        assert not [href for _, href in project.page(url).links() if "about/" in href or "contribute/" in href]
    levels = project.page("entries/rendezvous-port-taken/").section("evidence").links()[1]
    assert levels == ("What the levels mean", "../../format/#model-evidence")


def test_page_for_contributors_is_where_the_settings_say(project: Project) -> None:
    project.write("docs/join.md", "# Join\n")
    project.configure(**ours(contribute_url="join/"))
    assert project.build().code == 0
    assert ("write its entry", "../join/") in project.page("wanted/").links()
    project.configure(**ours(contribute_url="jion/"))
    assert "'wanted/' links to 'jion/', which does not exist" in project.build().output


def private(project: Project) -> None:
    """Add a second directory with an entry and words of its own."""
    write_private_entries(project.root / "private")
    project.configure(**ours(entries=["entries", "private"]))


def test_entries_of_several_directories_make_one_site(project: Project) -> None:
    private(project)
    result = project.build()
    assert result.code == 0, result.output
    assert len(project.page("changes/").one("tbody").all("tr")) == 6
    assert project.page("categories/storage/").one("h1").text == "Our storage"
    assert project.page("entries/our-filer-is-full/").one("h1").text == "Our filer is full"
    edit = "https://example.org/faultbook/edit/main/private/storage/our-filer-is-full.yaml"
    assert ("Edit this entry", edit) in project.page("entries/our-filer-is-full/").links()


def test_the_same_slug_in_two_directories_ends_the_build(project: Project) -> None:
    private(project)
    shutil.copytree(project.entries / "host", project.root / "private/host")
    output = project.build().output
    assert (
        "private/host/worker-killed-for-memory.yaml:1:1: error[duplicate-slug]: the slug 'worker-killed-for-memory' is "
        "taken by entries/host/worker-killed-for-memory.yaml; rename one of the two"
    ) in output


def test_titles_cannot_leave_the_head_of_a_page(project: Project) -> None:
    title = '`</title><script>alert(1)</script>` & "x"'
    with edited(project.entries / PORT) as data:
        data["title"] = title
        data["summary"] = f"{title} and some more words, so that this summary is long enough. [@socket-7]"
    with edited(project.entries / "_tags.yaml") as tags:
        tags["xid"]["text"] = '"><script>alert(2)</script>'
    with edited(project.entries / "_categories.yaml") as categories:
        categories["gpu"]["title"] = '</a></nav>"><script>alert(3)</script>'
    project.configure(strict=False)
    result = project.build()
    assert result.code == 0, result.output
    plain = title.replace("`", "")
    page = project.page("entries/rendezvous-port-taken/")
    assert page.one("title").raw_text == f"{plain} - Faultbook"
    assert page.one("meta", name="description").attributes["content"] == (
        f"{plain} and some more words, so that this summary is long enough."
    )
    assert project.page("tags/xid/").one("meta", name="description").attributes["content"].endswith("(2)</script>")
    for path in project.site.rglob("*.html"):
        named = [script for script in read_html(path.read_text("utf-8")).all("script") if "alert" in script.raw_text]
        # Data for search engines may name a title, but no browser runs them.
        assert {script.attributes.get("type") for script in named} <= {"application/ld+json"}, path
        assert not [script for script in named if "<" in script.raw_text], path


def test_scripts_in_the_content_of_a_page_get_no_leave_to_run() -> None:
    head = "<meta content=\"script-src 'self' @inline-script-hashes@\">"
    frame = "<script>frame()</script>"
    content = "<p><script>evil()</script></p>"
    allowed = with_script_hashes(head + frame)
    assert with_script_hashes(head + frame + content, content) == allowed + content
    assert with_script_hashes(head + frame + content) != allowed + content
    assert with_script_hashes("<p>no policy</p>") == "<p>no policy</p>"


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command of this environment."""
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False, timeout=100
    )


def test_command_line_of_mkdocs_shows_violations_and_no_traceback(project: Project) -> None:
    before = snapshot(project.site)
    break_entry(project)
    result = run("mkdocs", "build", cwd=project.root)
    assert result.returncode == 1
    assert f"\nentries/{PORT}:5:20: error[unknown-tag]" in result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert snapshot(project.site) == before


def test_preview_writes_elsewhere(project: Project, tmp_path: Path) -> None:
    before = snapshot(project.site)
    config = load_config(str(project.root / "mkdocs.yml"), site_dir=str(tmp_path / "preview"))
    config.plugins.on_startup(command="serve", dirty=False)
    build(config, serve_url="http://127.0.0.1:8000/faultbook/")
    assert (tmp_path / "preview/entries/worker-failed/index.html").is_file()
    assert snapshot(project.site) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["preview", "project"]


class Preview:
    """A running `mkdocs serve`."""

    def __init__(self, project: Project) -> None:
        self.log = project.root / "serve.log"
        command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", "127.0.0.1:0"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=project.root, stdout=log, stderr=log)

    def address(self) -> str:
        """Where the kernel let it listen."""
        return f"http://127.0.0.1:{self._port()}/faultbook/"

    def _port(self) -> int:
        # MkDocs prints the port that was asked for, which is 0.
        for line in Path(f"/proc/{self.process.pid}/net/tcp").read_text("utf-8").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in self._sockets():
                return int(fields[1].split(":")[1], 16)
        return 0

    def _sockets(self) -> set[str]:
        links = [path.readlink().name for path in Path(f"/proc/{self.process.pid}/fd").iterdir() if path.is_symlink()]
        return {link.removeprefix("socket:[").rstrip("]") for link in links if link.startswith("socket:[")}

    def page(self, url: str, text: str) -> str:
        """A page as soon as it holds a text."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.address() + url, timeout=10) as response:
                    page: str = response.read().decode("utf-8")
                if text in page:
                    return page
            except OSError:
                pass
            time.sleep(0.2)
        raise AssertionError(self.log.read_text("utf-8"))


@pytest.fixture
def preview(project: Project) -> Iterator[Preview]:
    """The preview of a project, stopped at the end."""
    server = Preview(project)
    yield server
    server.process.terminate()
    server.process.wait(20)


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="the port is read from /proc, which Linux has")
def test_preview_shows_a_change_and_survives_a_mistake(project: Project, preview: Preview) -> None:
    before = snapshot(project.site)
    url = "entries/rendezvous-port-taken/"
    preview.page(url, "Rendezvous port is taken")
    source = (project.entries / PORT).read_text("utf-8")
    (project.entries / PORT).write_text("title: [broken\n", "utf-8")
    deadline = time.monotonic() + 60
    while "error[yaml]" not in preview.log.read_text("utf-8") and time.monotonic() < deadline:
        time.sleep(0.2)
    assert "error[yaml]" in preview.log.read_text("utf-8")
    (project.entries / PORT).write_text(source.replace("Rendezvous port is taken", "A port that changed"), "utf-8")
    preview.page(url, "A port that changed")
    assert snapshot(project.site) == before
    assert not (project.root / ".site.building").exists()
