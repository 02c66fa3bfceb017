"""The drawing: what the whole command takes over each dimension, the others as they are.

In seconds of processor, ours and git's: those mean the same on a machine that has other things to do.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PARTS = (0.1, 0.25, 0.5, 1)
"""The parts of each count that are measured."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One dimension: what was counted, and the seconds that the command took there."""

    name: str
    counts: Sequence[int]
    seconds: Sequence[float]


def refuse_without_matplotlib() -> None:
    """End with a sentence where nothing can be drawn: it is no requirement of the project."""
    if importlib.util.find_spec("matplotlib") is None:
        raise SystemExit("--draw needs matplotlib: install it beside the project (pip install matplotlib)")


def draw(curves: Sequence[Curve], picture: Path) -> None:
    """Write the curves side by side, on one scale, into the PNG `picture`."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(12, 3), sharey=True)
    for axis, curve in zip(axes, curves, strict=True):
        axis.plot(curve.counts, curve.seconds, marker="o")
        axis.set_xlabel(curve.name)
        axis.set_xlim(left=0)
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.locator_params(axis="x", nbins=4)
        axis.grid(alpha=0.3)
    axes[0].set_ylim(bottom=0)
    axes[0].set_ylabel("seconds of processor")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)
