#!/usr/bin/env python3
"""Feed a missing value, a constant column and an empty label to a small model. CPU, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is labels
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, pandas or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "pandas", "numpy")

TABLE = "width,height,label\n1.0,2.0,0\n3.0,,1\n5.0,6.0,0\n7.0,8.0,1\n"


def labels(fixed: bool) -> None:
    """A row has no label, and pandas cannot make an integer of it. Fix: leave the row out."""
    import io

    import pandas

    table = pandas.read_csv(io.StringIO(TABLE + "9.0,1.0,\n"))
    print(table.isna().sum().to_dict(), flush=True)
    if fixed:
        table = table.dropna(subset=["label"])
    print(f"labels {table['label'].astype(int).tolist()}", flush=True)


def cell(fixed: bool) -> None:
    """An empty cell of a table is NaN: all losses are from its batch on. Fix: leave the row out."""
    import io

    import pandas
    import torch

    table = pandas.read_csv(io.StringIO(TABLE))
    print(f"rows that are not finite: {table.index[table.isna().any(axis=1)].tolist()}")
    if fixed:
        table = table.dropna()
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    x = torch.tensor(table[["width", "height"]].to_numpy(), dtype=torch.float32)
    y = torch.tensor(table[["label"]].to_numpy(), dtype=torch.float32)
    for row in range(len(x)):
        loss = (model(x[row]) - y[row]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {row} loss {loss.item():.4g}", flush=True)
    print(f"weights finite: {all(bool(w.isfinite().all()) for w in model.parameters())}", flush=True)


def constant(fixed: bool) -> None:
    """A column is constant, and its standard deviation 0: 0/0. Fix: divide by 1 there."""
    import numpy

    table = numpy.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    spread = table.std(0)
    if fixed:
        spread[spread == 0] = 1.0
    print(((table - table.mean(0)) / spread).tolist(), flush=True)


def finite_but_huge(fixed: bool) -> None:
    """A marker for missing values, -1e39 in float64, is -inf as float32. Fix: take it out first."""
    import numpy

    table = numpy.array([1.0, -1e39, 3.0])
    if fixed:
        table = table[numpy.abs(table) < 1e30]
    print(f"as float32 {table.astype(numpy.float32).tolist()}", flush=True)


def filters(fixed: bool) -> None:
    """A clamp and dropna let NaN or inf through, and nan_to_num makes 3.4e38. Fix: isfinite."""
    import pandas
    import torch

    x = torch.tensor([float("nan"), float("inf"), 0.5])
    table = pandas.DataFrame({"x": x.numpy()})
    print(f"clamp {x.clamp(0, 1).tolist()}, nan_to_num {x.nan_to_num().tolist()}, below 1 {(x < 1).tolist()}")
    kept = x[x.isfinite()].tolist() if fixed else table.dropna()["x"].tolist()
    print(f"kept {kept}", flush=True)


CASES = {
    "labels": cases.Case(
        labels, "IntCastingNaNError: Cannot convert non-finite values (NA or inf) to integer", "labels ["
    ),
    "cell": cases.Case(cell, "weights finite: False", "weights finite: True", diagnosed=False),
    "constant": cases.Case(
        constant, "RuntimeWarning: invalid value encountered in divide", "[0.0, 0.0]", diagnosed=False
    ),
    "huge": cases.Case(finite_but_huge, "as float32 [1.0, -inf, 3.0]", "as float32 [1.0, 3.0]", diagnosed=False),
    "filters": cases.Case(filters, "kept [inf, 0.5]", "kept [0.5]", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
