#!/usr/bin/env python3
"""Train on image files that are cut, damaged or no images. A loader with one worker, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is truncated
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, Pillow or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "PIL", "numpy")

FOLDER = pathlib.Path("images")
BAD = FOLDER / "000053.jpg"


def truncated(fixed: bool) -> None:
    """A JPEG ends in the middle, as after a broken copy. Fix: leave out what a full read refuses."""
    write("JPEG", lambda whole: whole[: len(whole) // 2])
    train(fixed)


def page(fixed: bool) -> None:
    """A file with the name of an image is a web page. Fix: leave it out."""
    write("JPEG", lambda _: b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>")
    train(fixed)


def damaged(fixed: bool) -> None:
    """A PNG of the right length has wrong bytes inside. Fix: the whole file."""
    write("PNG", lambda whole: whole if fixed else whole[:20000] + bytes(64) + whole[20064:])
    train(False)


def padded(fixed: bool) -> None:
    """LOAD_TRUNCATED_IMAGES turns the missing half into one colour without a word. Fix: the whole file."""
    import numpy as np
    from PIL import Image, ImageFile

    write("JPEG", lambda whole: whole if fixed else whole[: len(whole) // 2])
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    with Image.open(BAD) as image:
        rows = np.asarray(image.convert("RGB"))[-100:]
    print("colours in the last 100 rows:", "one" if len(np.unique(rows)) == 1 else "many", flush=True)


def write(kind: str, change: Callable[[bytes], bytes]) -> None:
    """Three images of noise, the second of them with changed bytes."""
    import numpy as np
    from PIL import Image

    FOLDER.mkdir()
    random = np.random.default_rng(0)
    for number in (52, 53, 54):
        pixels = random.integers(0, 255, (256, 256, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(FOLDER / f"{number:06}.jpg", kind)
    BAD.write_bytes(change(BAD.read_bytes()))


def readable(path: pathlib.Path) -> bool:
    """Whether Pillow can decode all of the file; says what it found if not."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            image.load()
    except Exception as error:
        print("left out:", path, type(error).__name__, flush=True)
        return False
    return True


class Images:
    """What torchvision's ImageFolder does for each sample."""

    def __init__(self, paths: list[pathlib.Path]) -> None:
        self.paths = paths

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> object:
        import numpy as np
        import torch
        from PIL import Image

        with open(self.paths[number], "rb") as file:
            image = Image.open(file).convert("RGB")
        return torch.from_numpy(np.array(image)).permute(2, 0, 1)


def train(check: bool) -> None:
    """Read all images through a loader with a worker, after a check of the files if wanted."""
    import torch

    paths = [path for path in sorted(FOLDER.iterdir()) if not check or readable(path)]
    loader: torch.utils.data.DataLoader[object] = torch.utils.data.DataLoader(Images(paths), 1, num_workers=1)
    print("batches", sum(1 for _ in loader), flush=True)


CASES = {
    "truncated": cases.Case(truncated, "OSError: image file is truncated (", "batches 2"),
    "page": cases.Case(page, "PIL.UnidentifiedImageError: cannot identify image file", "batches 2"),
    "damaged": cases.Case(damaged, "OSError: broken data stream when reading image file", "batches 3"),
    "padded": cases.Case(padded, "last 100 rows: one", "last 100 rows: many", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
