"""Measure `ophiuchus check` at scale, in one run, as ratios: see docs/performance.md.

make benchmark                              the figures of docs/performance.md
python benchmarks/measure.py --small        the same on a tenth of everything, in about a minute
python benchmarks/measure.py --draw PNG     and the curves over each dimension; needs matplotlib
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import capsules
import cost
import curves
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
    if arguments.draw:
        curves.refuse_without_matplotlib()
    setting = Setting().scaled(0.1) if arguments.small else Setting()
    with tempfile.TemporaryDirectory(prefix="ophiuchus-benchmark-") as folder:
        bench = _Bench(Path(folder))
        print("| what | measured | target |\n|---|---|---|")
        for row in _rows(bench, setting, arguments.sample):
            print(f"| {row.what} | {row.measured} | {row.target} |", flush=True)
        if arguments.draw:
            curves.draw(list(_curves(bench, setting)), arguments.draw)


class _Bench:
    """Repositories and capsules that were made already, by their setting, so that each is made once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built: dict[tuple[int, int], Path] = {}
        self._declared: dict[Setting, list[capsules.Declared]] = {}

    def prepare(self, setting: Setting) -> tuple[Path, str, list[capsules.Declared]]:
        """The repository, the branch that has the capsules, and what they declare."""
        shape = (setting.files, setting.commits)
        if shape not in self._built:
            self._built[shape] = self._folder / f"{setting.files}-{setting.commits}"
            monorepo.build(self._built[shape], monorepo.Shape(*shape))
        repository = self._built[shape]
        branch = f"capsules-{setting.capsules}-{setting.bases}-{setting.reach}"
        if setting not in self._declared:
            declared = capsules.declare(repository, setting.capsules, setting.bases, reach=setting.reach)
            capsules.commit_capsules(repository, declared, branch)
            self._declared[setting] = declared
        return repository, branch, self._declared[setting]

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
    yield Row("the whole command", f"{ours.wall:.2f} s, {ours.cpu:.2f} s of processor")
    per_glob = cost.of_diff_per_glob(repository, branch, declared, sample)
    yield Row(
        f"one `git diff --quiet` per glob (sample of {sample}, scaled)",
        _times(per_glob, ours),
        "at least 60 times, aim 100",
    )
    per_capsule = cost.of_diff_per_capsule(repository, branch, declared, max(5, sample // 20))
    yield Row(
        f"one `git diff --name-only` per capsule (sample of {max(5, sample // 20)}, scaled)",
        _times(per_capsule, ours),
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
        f"{_more(fetched.wall / ours.wall, fetched.cpu / ours.cpu)}, {megabytes:.1f} MB in one fetch",
        "under 2 times",
    )
    yield Row("ten times more capsules", _growth(bench, setting), "at most 6 times")


def _times(other: cost.Cost, ours: cost.Cost) -> str:
    """How many times ours another way takes."""
    wall, cpu = other.wall / ours.wall, other.cpu / ours.cpu
    return f"{other.wall:,.0f} s: {wall:.0f} times ours ({cpu:.0f} in processor time)"


def _growth(bench: _Bench, setting: Setting, turns: int = 3) -> str:
    """How many times longer ten times more capsules take: both in turn, so that a busy machine hits both."""
    larger = replace(setting, capsules=setting.capsules * 10)
    pairs = [(bench.check(setting, runs=1), bench.check(larger, runs=1)) for _ in range(turns)]
    wall = statistics.median(more.wall / one.wall for one, more in pairs)
    cpu = statistics.median(more.cpu / one.cpu for one, more in pairs)
    return _more(wall, cpu)


def _more(wall: float, cpu: float) -> str:
    return f"{wall:.1f} times the time ({cpu:.1f} in processor time)"


def _curves(bench: _Bench, setting: Setting) -> Iterator[curves.Curve]:
    """What the whole command takes over each dimension, the others as in `setting`."""
    for name in ("capsules", "bases", "files"):
        counts = [int(getattr(setting, name) * part) for part in curves.PARTS]
        yield _curve(bench, name, counts, [replace(setting, **{name: count}) for count in counts])
    reaches = [max(setting.bases, int(setting.reach * part)) for part in curves.PARTS]
    older = [replace(setting, reach=reach) for reach in reaches]
    changed = [
        cost.changed_paths(repository, declared) for repository, _, declared in map(bench.prepare, older)
    ]
    yield _curve(bench, "paths changed since oldest base", changed, older)


def _curve(bench: _Bench, name: str, counts: list[int], settings: list[Setting]) -> curves.Curve:
    costs = [bench.check(one) for one in settings]
    return curves.Curve(name, counts, [one.cpu for one in costs])


if __name__ == "__main__":
    main()
