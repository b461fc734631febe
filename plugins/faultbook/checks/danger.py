"""What commands can do: the least danger that a command must be marked with."""

from __future__ import annotations

import re
from functools import cache

from faultbook.checks.shell import SHOWN, Started, read_script
from faultbook.schema import Danger

REVERSIBLE, DISRUPTIVE, DESTRUCTIVE = Danger.REVERSIBLE, Danger.DISRUPTIVE, Danger.DESTRUCTIVE
ORDER: tuple[Danger | None, ...] = (None, REVERSIBLE, DISRUPTIVE, DESTRUCTIVE)
"""The dangers, the smallest first."""

_FIRST = r"(?:-\S+ (?:[^-\s]\S* )?)*"
"""Options, with or without a value, before the first other word."""
_WET = r"(?!.*--dry-run)" + _FIRST

# Names of commands, what their arguments look like when they do it, and the least danger. Every row that fits counts.
_ROWS: tuple[tuple[str, str, Danger], ...] = (
    ("kill skill", r"(?!.*(?:^| )(?:-0|-l|-L|-s 0|-n 0|--list|--table)(?: |=|$))", DISRUPTIVE),
    ("pkill killall", r"(?!.*(?:^| )(?:-0|-s 0|--signal[ =]0|-l|--list|-V)(?: |$))", DISRUPTIVE),
    ("fuser", r"(?:.* )?(?:-[a-jl-z]*k[a-z]*|--kill)(?: |$)", DISRUPTIVE),
    ("reboot poweroff halt kexec", r"(?!.*--help)", DISRUPTIVE),
    ("shutdown", r"(?!.*(?:^| )(?:-c|--help|--show)(?: |$))", DISRUPTIVE),
    ("init telinit", r"[06]$", DISRUPTIVE),
    ("systemctl", _FIRST + r"(?:stop|restart|try-restart|kill|isolate|reboot|poweroff|halt|kexec)(?: |$)", DISRUPTIVE),
    ("systemctl", _FIRST + r"(?:start|reload|enable|disable|mask|unmask|set-property)(?: |$)", REVERSIBLE),
    ("service", r"\S+ (?:stop|restart|force-reload)", DISRUPTIVE),
    ("scancel qdel bkill condor_rm", r"", DISRUPTIVE),
    ("scontrol", _FIRST + r"(?:requeue|requeuehold|suspend|reboot|reboot_nodes|shutdown|takeover)(?: |$)", DISRUPTIVE),
    ("scontrol", _FIRST + r"update .*(?i:state=(?:drain|down|fail|power))", DISRUPTIVE),
    ("scontrol", _FIRST + r"(?:update|hold|release|resume|delete|create|reconfigure)(?: |$)", REVERSIBLE),
    ("kubectl oc", _WET + r"(?:delete|drain)(?: |$)", DISRUPTIVE),
    ("kubectl oc", _WET + r"rollout (?:restart|undo)", DISRUPTIVE),
    ("kubectl oc", _WET + r"replace .*--force", DISRUPTIVE),
    ("kubectl oc", _WET + r"(?:cordon|uncordon|taint|scale|patch|label|annotate)(?: |$)", REVERSIBLE),
    ("kubectl oc", _WET + r"delete (?:\S+ )*?(?:pvc|pv|persistentvolume\w*|ns|namespaces?)(?:[ /]|$)", DESTRUCTIVE),
    ("docker podman nerdctl crictl", r"(?:container )?(?:stop|kill|restart|pause)(?: |$)", DISRUPTIVE),
    ("docker podman nerdctl crictl", r"(?:container |pod )?(?:rm|rmp)(?: |$)", DESTRUCTIVE),
    ("docker podman nerdctl crictl", r"(?:\w+ )?(?:prune|rmi)(?: |$)", DESTRUCTIVE),
    ("docker podman nerdctl", r"(?:image|volume|network) (?:rm|remove)(?: |$)", DESTRUCTIVE),
    ("docker podman nerdctl", r"compose (?:.* )?(?:down|restart|kill|stop|rm)(?: |$)", DISRUPTIVE),
    ("docker-compose", r"(?:.* )?(?:down|restart|kill|stop|rm)(?: |$)", DISRUPTIVE),
    ("nvidia-smi", r"(?:.* )?(?:-r|--gpu-reset)(?: |=|$)", DESTRUCTIVE),
    ("nvidia-smi", r"drain (?!.*-q)", DISRUPTIVE),
    ("nvidia-smi", r"mig .*-(?:dci|dgi)(?: |$)", DESTRUCTIVE),
    ("nvidia-smi", r"mig .*-(?:cgi|cci)(?: |$)", REVERSIBLE),
    (
        "nvidia-smi",
        r"(?=-)(?:.* )?--?(?:pm|pl|ac|rac|lgc|rgc|lmc|rmc|mig|c|e|p|am|persistence-mode|power-limit)(?:[ =]|$)",
        REVERSIBLE,
    ),
    ("modprobe", r"(?:.* )?(?:-r|--remove)(?: |$)", DISRUPTIVE),
    ("rmmod", r"", DISRUPTIVE),
    (
        "mkfs mkswap wipefs shred lvremove vgremove pvremove sgdisk",
        r"(?!(?:.* )?(?:--help|-n|--no-act)(?: |$))",
        DESTRUCTIVE,
    ),
    ("dd", r"(?:.* )?of=(?!/dev/null(?: |$))", DESTRUCTIVE),
    ("truncate rm unlink", r"(?!--(?:help|version)$)", DESTRUCTIVE),
    ("find", r".* -delete(?: |$)", DESTRUCTIVE),
    ("rsync", r"(?:.* )?(?:--delete\S*|--remove-source-files)(?: |$)", DESTRUCTIVE),
    ("git", _FIRST + r"clean (?!(?:.* )?(?:-\w*n\w*|--dry-run)(?: |$))", DESTRUCTIVE),
    ("git", _FIRST + r"(?:reset .*--hard|checkout (?:.* )?(?:--|\.|-f)|stash (?:drop|clear))(?: |$)", DESTRUCTIVE),
    ("git", _FIRST + r"(?:restore (?!--staged)|push .*(?:-f|--force)(?: |$)|branch .*-D )", DESTRUCTIVE),
    ("crontab", r"(?:.* )?-r(?: |$)", DESTRUCTIVE),
    ("ipcrm", r"", DESTRUCTIVE),
    ("aws", r"s3 (?:rm|rb)(?: |$)|s3 sync .*--delete", DESTRUCTIVE),
    ("aws", r"ec2 terminate-instances", DESTRUCTIVE),
    ("aws", r"ec2 (?:stop|reboot)-instances", DISRUPTIVE),
    ("gsutil", r"(?:-\w+ )*(?:rm|rb)(?: |$)", DESTRUCTIVE),
    ("gcloud", r".* (?:delete|rm)(?: |$)", DESTRUCTIVE),
    ("rclone", r"(?:delete|deletefile|purge|sync|cleanup)(?: |$)", DESTRUCTIVE),
    ("hf huggingface-cli", r"(?:delete-cache|cache (?:rm|prune|delete))(?: |$)", DESTRUCTIVE),
    ("ray", r"stop(?: |$)", DISRUPTIVE),
    ("ray", r"down(?: |$)", DESTRUCTIVE),
    ("tmux", r"(?:.* )?kill-(?:session|server|window|pane)(?: |$)", DISRUPTIVE),
    ("screen", r"(?:.* )?-X (?:quit|kill)(?: |$)", DISRUPTIVE),
    ("ipmitool", r".*power (?:off|cycle|reset|soft)", DISRUPTIVE),
    ("sysctl", r"(?:.* )?(?:-w|--write|-p\S*|--load\S*|-f|--system|[a-z][\w./-]*=\S*)(?: |$)", REVERSIBLE),
    ("umount swapoff swapon zramctl", r"(?!.*--(?:help|show|summary))(?=.)", REVERSIBLE),
    ("mount", r"(?:.* )?(?:-o \S*remount|--bind|-t \S+ \S+ \S+)", REVERSIBLE),
    (
        "ip",
        _FIRST + r"(?:[alnr]|link|addr\w*|route|rule|neigh\w*) (?:set|add|del\w*|change|replace|flush) ",
        REVERSIBLE,
    ),
    ("ifconfig", r"\S+ (?:up|down|mtu|netmask|\d)", REVERSIBLE),
    ("ifdown ifup", r"", DISRUPTIVE),
    ("ethtool", r"(?:.* )?(?:-[A-Z]|-s|--(?:set|change|offload|features|coalesce)\S*) \S+ \S+ \S+", REVERSIBLE),
    ("iptables ip6tables", r"(?:.* )?(?:-[AIDRFPXNZ]|--(?:append|insert|delete|flush|policy))(?: |$)", REVERSIBLE),
    ("nft", r"(?:add|insert|delete|flush|replace)(?: |$)", REVERSIBLE),
    ("ufw", r"(?!status|version|show)", REVERSIBLE),
    ("firewall-cmd", r"(?:.* )?--(?:add|remove|set|reload)", REVERSIBLE),
    ("tee", r"(?:.* )?/(?:etc|proc|sys)/\S", REVERSIBLE),
    ("sed", r"(?:.* )?(?:-\w*i\S*|--in-place\S*) (?:.* )?/etc/\S", REVERSIBLE),
)


@cache
def _table() -> dict[str, list[tuple[re.Pattern[str], Danger]]]:
    """The rows by the names of their commands."""
    rows: dict[str, list[tuple[re.Pattern[str], Danger]]] = {}
    for names, form, danger in _ROWS:
        for name in names.split():
            rows.setdefault(name, []).append((re.compile(form), danger))
    return rows


def least_danger(text: str) -> tuple[Danger | None, str]:
    """The least danger of a text, and what in it has it."""
    rows = _table()
    # Parsing costs, and most texts hold no name of the table at all.
    if not _SYSTEM_FILE.search(text) and rows.keys().isdisjoint(re.findall(r"[\w-]+", text)):
        return None, ""
    script = read_script(text)
    own = _own(text)
    found = [(_written_danger(path), f"> {path}") for path in script.written]
    for started in script.commands:
        for form, danger in rows.get("mkfs" if started.name.startswith("mkfs.") else started.name, ()):
            if form.match(started.line) and not _is_own(started, own):
                found.append((danger, SHOWN.sub(r"{\1}", f"{started.name} {started.line}".strip())))
    return max(found, key=lambda item: ORDER.index(item[0]), default=(None, ""))


_SYSTEM_FILE = re.compile(r">[>|]?\s*[\"']?/(?:etc|proc|sys)/")


def _written_danger(path: str) -> Danger | None:
    if re.match(r"/proc/sysrq-trigger|/sys/.*/(?:remove|reset)$", path):
        return DISRUPTIVE
    return REVERSIBLE if re.match(r"/(?:etc|proc/sys|sys)/", path) else None


_OWN = re.compile(r"\b(\w+)=[\"']?(?:\$!|\$\(mktemp\b)")


def _own(text: str) -> frozenset[str]:
    """Variables that stand for what the text itself has started or made."""
    return frozenset(_OWN.findall(text)) if "$!" in text or "mktemp" in text else frozenset()


def _is_own(started: Started, own: frozenset[str]) -> bool:
    """Whether a command ends or deletes only what its own text has started or made."""
    if started.name not in ("kill", "rm"):
        return False
    words = re.sub(r"(?:^| )-[sn] \w+", "", started.line).split()
    targets = [word for word in words if not word.startswith("-")]
    return bool(targets) and all(_stands_for_own(word, own) for word in targets)


def _stands_for_own(word: str, own: frozenset[str]) -> bool:
    variable = re.match(r"\$\{?(\w+|!)", word)
    return bool(re.fullmatch(r"%[\w+-]*", word) or (variable and (variable[1] == "!" or variable[1] in own)))
