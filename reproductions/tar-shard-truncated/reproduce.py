#!/usr/bin/env python3
"""Train from tar shards that end too early. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is cut
exit:  0 the expected outcome was seen, 1 it was not, 77 webdataset or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "webdataset")

SHARD = pathlib.Path("00000022.tar")
SAMPLES = 20
BYTES = 3000
"""Of the image in each sample; a member takes more, since it has headers."""


def cut(fixed: bool) -> None:
    """A copy broke off within a member. Fix: the whole shard."""
    write(SHARD)
    if not fixed:
        os.truncate(SHARD, member(SHARD).offset_data + BYTES // 2)
    read()


def writer(fixed: bool) -> None:
    """The program that writes shards runs into a size limit, as on a full disk. Fix: write beside, then rename."""
    whole = pathlib.Path("00000021.tar")
    write(whole)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (member(whole).offset_data + BYTES // 2, allowed[1]))
    partial = SHARD.with_suffix(".part") if fixed else SHARD
    try:
        write(partial)
        partial.rename(SHARD)
    except OSError as error:
        print("writer:", error, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    read()


def boundary(fixed: bool) -> None:
    """A shard that ends between two members gives six samples of twenty and no error. Fix: the whole shard."""
    write(SHARD)
    if not fixed:
        os.truncate(SHARD, member(SHARD).offset)
    read()


def handler(fixed: bool) -> None:
    """With warn_and_continue the last sample of a cut shard comes without its image. Fix: the whole shard."""
    import webdataset

    write(SHARD)
    if not fixed:
        os.truncate(SHARD, member(SHARD).offset_data + BYTES // 2)
    samples = list(webdataset.WebDataset(str(SHARD), shardshuffle=False, handler=webdataset.warn_and_continue))
    print("last sample:", sorted(field for field in samples[-1] if not field.startswith("_")), flush=True)


def page(fixed: bool) -> None:
    """The shard is a web page. Fix: the whole shard."""
    if fixed:
        write(SHARD)
    else:
        SHARD.write_text("<!DOCTYPE html><html><head><title>Sign in</title></head>" + "<p>" * BYTES)
    read()


def write(path: pathlib.Path) -> None:
    """A shard as webdataset writes it."""
    import webdataset

    with webdataset.TarWriter(str(path)) as shard:
        for number in range(SAMPLES):
            shard.write({"__key__": f"{number:06}", "jpg": os.urandom(BYTES), "cls": b"7"})


def member(path: pathlib.Path) -> tarfile.TarInfo:
    """The image of the sixth sample; the label stands before it."""
    with tarfile.open(path) as archive:
        return archive.getmembers()[11]


def read() -> None:
    """One epoch over all shards."""
    import webdataset

    names = [str(path) for path in sorted(pathlib.Path().glob("*.tar"))]
    print("samples", sum(1 for _ in webdataset.WebDataset(names, shardshuffle=False)), flush=True)


CASES = {
    "cut": cases.Case(cut, 'tarfile.ReadError: ("unexpected end of data @', "samples 20"),
    "writer": cases.Case(writer, 'tarfile.ReadError: ("unexpected end of data @', "samples 20"),
    "page": cases.Case(page, "tarfile.ReadError: ('invalid header'", "samples 20"),
    "handler": cases.Case(handler, "last sample: ['cls']", "last sample: ['cls', 'jpg']", False),
    "boundary": cases.Case(boundary, "samples 6", "samples 20", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
