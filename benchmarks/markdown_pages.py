"""Writes entries as Markdown pages with the same fields, the way one would without this generator."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

Made = tuple[str, str, dict[str, Any]]


def _prose(text: str, data: dict[str, Any]) -> str:
    """Our marks as plain Markdown links."""
    for number, reference in enumerate(data["references"], 1):
        text = text.replace(f"[@{reference['id']}]", f"[[{number}]](#references)")
    for fix in data["fix"]:
        text = text.replace(f"[[#{fix['id']}]]", f"[{fix['title']}](#fix)")
    return text


def _command(command: dict[str, Any]) -> list[str]:
    facts = f"*{command['where']}, {command['tested']}*" if "where" in command else ""
    return [
        facts,
        "",
        "```text",
        command["run"],
        "```",
        "",
        f"Expect: {command['expect']}" if "expect" in command else "",
        "",
    ]


def _page(data: dict[str, Any]) -> str:
    lines = [
        f"# {data['title']}",
        "",
        f"Impact {', '.join(data['impact'])}, scope {data['scope']}, reviewed {data['reviewed']}",
        "",
    ]
    lines += [data["summary"], "", "## Is it this?", "", data["checklist"][0]["check"], ""]
    lines += _command(data["checklist"][0]["command"])
    lines += ["## Quick fix", "", data["quick_fix"]["text"], ""]
    for command in data["quick_fix"]["commands"]:
        lines += _command(command)
    lines += [data["quick_fix"]["caveat"], "", "## Checklist", ""]
    for check in data["checklist"]:
        lines += [
            f"### {check['check']}",
            "",
            *_command(check["command"]),
            f"- Yes: {check['if_yes']}",
            f"- No: {check['if_no']}",
            "",
        ]
    lines += _fixes(data)
    lines += ["## Symptoms and signatures", ""]
    for symptom in data["symptoms"]:
        lines += [f"### {symptom['observed']}", "", symptom["means"], ""]
        for signature in symptom["signatures"]:
            lines += [f"*cause, {signature['printed_by']}*", "", "```text", signature["text"], "```", ""]
    lines += ["## Mechanism", "", data["mechanism"], "", *_tables(data)]
    return _prose("\n".join(lines), data)


def _fixes(data: dict[str, Any]) -> list[str]:
    lines = ["## Fix", "", "| Situation | Fix | Who |", "|---|---|---|"]
    lines += [f"| {fix['when']} | {fix['title']} | {fix['who']} |" for fix in data["fix"]]
    for fix in data["fix"]:
        lines += ["", f"### {fix['title']}", "", f"{fix['kind']}, {fix['who']}: {fix['when']}", ""]
        for number, step in enumerate(fix["steps"], 1):
            lines += [f"**{number}.** {step['text']}", "", *_command(step["command"])]
        lines += ["**Verify**", "", *_command(fix["verify"]["command"])]
    return [*lines, ""]


def _tables(data: dict[str, Any]) -> list[str]:
    lines = ["## Affected systems", "", "| System | When | Versions |", "|---|---|---|"]
    for system in data["affected_systems"]:
        ranges = "; ".join(f"`{one['range']}` {one['note']}" for one in system["versions"])
        lines.append(f"| [{system['system']}](../systems/{system['system']}.md) | {system['when']} | {ranges} |")
    lines += ["", "## Examples", ""]
    for example in data["examples"]:
        lines += [
            f"### {example['stack']}: {example['title']}",
            "",
            f"```{example['lang']}",
            example["code"],
            "```",
            "",
            example["why"],
            "",
        ]
    lines += ["## Pitfalls", "", *(f"- Wrong: {one['wrong']} Right: {one['right']}" for one in data["pitfalls"]), ""]
    lines += ["## Questions", ""]
    for question in data["faq"]:
        lines += [f"**{question['q']}** {question['a']}", ""]
    lines += [
        "## Related",
        "",
        *(f"- [{one['entry']}]({one['entry']}.md)" for one in data["related"]),
        "",
        "## References",
        "",
    ]
    lines += [f"{n}. [{one['title']}]({one['url']})" for n, one in enumerate(data["references"], 1)]
    tags = ", ".join(f"[{tag}](../tags/{tag}.md)" for tag in data["tags"])
    lines += ["", "## Evidence", "", f"{data['evidence']['level']}: {data['evidence']['note']}"]
    return [*lines, "", "## History", "", tags, ""]


# Zensical refuses pages with very many words in its search; the lists repeat what the entries say anyhow.
_UNSEARCHED = "---\nsearch: {exclude: true}\n---\n"


def write_markdown(docs: Path, made: list[Made]) -> None:
    """All pages: entries, lists by category, tag and system, the list of signatures, the list by date."""
    groups: dict[str, list[Made]] = defaultdict(list)
    for one in made:
        category, _, data = one
        for name in (f"categories/{category}", *(f"tags/{tag}" for tag in data["tags"])):
            groups[name].append(one)
        for system in data["affected_systems"]:
            groups[f"systems/{system['system']}"].append(one)
    groups["changes"] = sorted(made, key=lambda one: str(one[2]["reviewed"]), reverse=True)
    for _, slug, data in made:
        _write(docs / "entries" / f"{slug}.md", _page(data))
    for name, ones in groups.items():
        up = "../" * name.count("/")
        rows = [
            f"| [{d['title']}]({up}entries/{s}.md) | {', '.join(d['impact'])} | {d['reviewed']} |" for _, s, d in ones
        ]
        _write(
            docs / f"{name}.md",
            _UNSEARCHED + "\n".join([f"# {name}", "", "| Failure | Impact | Reviewed |", "|---|---|---|", *rows, ""]),
        )
    lines = [
        f"- `{signature['text']}` [{data['title']}](entries/{slug}.md)"
        for _, slug, data in made
        for symptom in data["symptoms"]
        for signature in symptom["signatures"]
    ]
    _write(docs / "signatures.md", _UNSEARCHED + "\n".join(["# Signatures", "", *sorted(lines), ""]))
    index = [f"- [{name}]({name}.md)" for name in sorted(groups)]
    _write(docs / "index.md", "\n".join(["# Home", "", *index, "- [signatures](signatures.md)", ""]))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
