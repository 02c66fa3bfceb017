"""Measure `ophiuchus check` at scale, in one run, as ratios: see docs/performance.md.

make benchmark                              the figures of docs/performance.md and their drawing
python benchmarks/measure.py --small        the same on a tenth of everything, in about a minute
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import capsules
import cost
import fetching
import monorepo


@dataclass(frozen=True, slots=True)
class Setting:
    """One synthetic repository and what its capsules declare."""

    files: int = 100_000
    commits: int = 20_000
    capsules: int = 10_000
    bases: int = 1_000
    reach: int = 10_000
    """How many commits back the oldest base may be: what decides how many paths changed."""

    def scaled(self, factor: float) -> Setting:
        """The same setting with every count multiplied by `factor`."""
        return Setting(*(max(1, int(getattr(self, name) * factor)) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    measured: str
    target: str = ""


def main() -> None:
    """Measure, print the table as Markdown, and draw the curves where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="a tenth of everything")
    parser.add_argument("--sample", type=int, default=500, help="how many plain git calls are timed")
    parser.add_argument("--draw", type=Path, metavar="PNG", help="draw time over each dimension")
    arguments = parser.parse_args()
    setting = Setting().scaled(0.1) if arguments.small else Setting()
    with tempfile.TemporaryDirectory(prefix="ophiuchus-benchmark-") as folder:
        bench = _Bench(Path(folder))
        print("| what | measured | target |\n|---|---|---|")
        for row in _rows(bench, setting, arguments.sample):
            print(f"| {row.what} | {row.measured} | {row.target} |", flush=True)
        if arguments.draw:
            _draw(bench, setting, arguments.draw)


class _Bench:
    """Repositories that were built already, by their setting, so that each is built once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built: dict[tuple[int, int], Path] = {}

    def prepare(self, setting: Setting) -> tuple[Path, str, list[capsules.Declared]]:
        """The repository, the branch that has the capsules, and what they declare."""
        shape = (setting.files, setting.commits)
        if shape not in self._built:
            self._built[shape] = self._folder / f"{setting.files}-{setting.commits}"
            monorepo.build(self._built[shape], monorepo.Shape(*shape))
        repository = self._built[shape]
        declared = capsules.declare(repository, setting.capsules, setting.bases, reach=setting.reach)
        branch = f"capsules-{setting.capsules}-{setting.bases}-{setting.reach}"
        capsules.commit_capsules(repository, declared, branch)
        return repository, branch, declared

    def check(self, setting: Setting, *, runs: int = 3) -> cost.Cost:
        """What the whole command costs in `setting`."""
        repository, branch, _ = self.prepare(setting)
        return cost.of_check(repository, branch, runs=runs)


def _rows(bench: _Bench, setting: Setting, sample: int) -> Iterator[Row]:
    repository, branch, declared = bench.prepare(setting)
    yield Row(
        f"{setting.capsules:,} capsules x {capsules.GLOBS_EACH} globs, {setting.bases:,} bases, "
        f"{setting.files:,} files",
        "",
    )
    ours = cost.of_check(repository, branch)
    yield Row("the whole command", f"{ours.wall:.2f} s")
    per_glob = cost.of_diff_per_glob(repository, branch, declared, sample)
    yield Row(
        f"one `git diff --quiet` per glob (sample of {sample}, scaled)",
        f"{per_glob:.0f} s: {per_glob / ours.wall:.0f} times ours",
        "at least 60 times, aim 100",
    )
    per_capsule = cost.of_diff_per_capsule(repository, branch, declared, max(5, sample // 20))
    yield Row(
        f"one `git diff --name-only` per capsule (sample of {max(5, sample // 20)}, scaled)",
        f"{per_capsule:.0f} s: {per_capsule / ours.wall:.0f} times ours",
    )
    floor = cost.of_reading_trees(repository, branch, declared)
    yield Row(
        "the floor: reading every tree in which the bases differ", f"{floor.git_cpu:.2f} s of processor"
    )
    yield Row(
        "git's own processes",
        f"{ours.git_cpu:.2f} s of processor: {ours.git_cpu / floor.git_cpu:.1f} times the floor",
        "at most 3 times",
    )
    yield Row("peak memory of our process", f"{ours.own_peak_mb:.0f} MB", "under 250 MB")
    with fetching.shallow_clone(repository, branch, repository.with_name("fetching")) as served:
        fetched = cost.of_check(served.clone, "HEAD", "--fetch-missing", env=served.env)
        megabytes = max(one.received for one in served.server.exchanges) / 1e6
    yield Row(
        "a depth-1 clone that fetches every base from loopback",
        f"{fetched.wall / ours.wall:.1f} times the time, {megabytes:.1f} MB in one fetch",
        "under 2 times",
    )
    more = bench.check(replace(setting, capsules=setting.capsules * 10), runs=1)
    yield Row("ten times more capsules", f"{more.wall / ours.wall:.1f} times the time", "at most 6 times")


def _draw(bench: _Bench, setting: Setting, picture: Path) -> None:
    """Seconds of the whole command over each dimension, the others as in `setting`."""
    # Only the drawing needs it.
    from matplotlib import pyplot

    tenths = (0.1, 0.25, 0.5, 1)
    dimensions: dict[str, Callable[[float], Setting]] = {
        "capsules": lambda part: replace(setting, capsules=int(setting.capsules * part)),
        "bases": lambda part: replace(setting, bases=int(setting.bases * part)),
        "files": lambda part: replace(setting, files=int(setting.files * part)),
        "commits since the oldest base": lambda part: replace(
            setting, reach=max(setting.bases, int(setting.reach * part))
        ),
    }
    figure, axes = pyplot.subplots(1, len(dimensions), figsize=(14, 3.2), sharey=True)
    for axis, (name, at) in zip(axes, dimensions.items(), strict=True):
        settings = [at(part) for part in tenths]
        field = {"commits since the oldest base": "reach"}.get(name, name)
        counts = [getattr(one, field) for one in settings]
        axis.plot(counts, [bench.check(one, runs=1).wall for one in settings], marker="o")
        axis.set_xlabel(name)
        axis.set_xlim(left=0)
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds, whole command")
    figure.tight_layout()
    figure.savefig(picture, dpi=150)
    print(f"drawn: {picture}", file=sys.stderr)


if __name__ == "__main__":
    main()
