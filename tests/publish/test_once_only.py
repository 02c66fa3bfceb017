"""One write a destination, whatever runs beside it and wherever a run dies (issue 5, "once only").

OPHIUCHUS_PUBLISHERS sets how many run at once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from git_repository import ENV
from publisher import REPOSITORY, Ended, Job, Service, opened, run
from smart_http import serving

from ophiuchus.publish.capability import Operation
from ophiuchus.publish.delivery import CLAIM, Step
from ophiuchus.publish.receipts import Receipt, ReceiptStatus, Row
from ophiuchus.publish.stores.branch import BRANCH

PUBLISHERS = int(os.environ.get("OPHIUCHUS_PUBLISHERS", "5"))
TARGETS = ("901", "902")
KILLED = -signal.SIGKILL


class Shared:
    """A store and a service that every publisher uses."""

    def __init__(self, place: str, folder: Path, service: Service) -> None:
        self.place = place
        self.folder = folder
        self.service = service

    def job(self, *targets: str, **fields: object) -> Job:
        return Job(self.place, self.service.url, targets, **fields)  # type: ignore[arg-type]

    def run(self, *jobs: Job) -> list[Ended]:
        folder = Path(self.folder, f"run-{len(list(self.folder.iterdir()))}")
        folder.mkdir()
        ended = run(jobs, folder)
        self.service.settle()
        return ended

    def rows(self) -> Mapping[str, Row]:
        with opened(self.place) as store:
            return store.read()

    def history(self) -> Counter[tuple[str, str]]:
        """How often each state of each claim was stored, ever: told apart by claim key and status."""
        if not self.place.startswith("http:"):
            lines = Path(self.place).read_bytes().splitlines()
            receipts = [Receipt.model_validate_json(line) for line in lines]
            return Counter((one.claim_key, one.status.value) for one in receipts)
        bare = self.folder.parent / REPOSITORY
        log = ["git", "log", "--format=%x00%s", "--name-only", BRANCH, "--", "receipts"]
        listed = subprocess.run(log, cwd=bare, env=ENV, capture_output=True, text=True, check=True).stdout
        entries = [entry.split() for entry in listed.split("\0")[1:]]
        return Counter((Path(words[-1]).stem, words[0].rstrip(":").lower()) for words in entries)


@pytest.fixture(params=["branch", "file"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shared]:
    (tmp_path / "said").mkdir()
    with Service().running() as service, _place(request.param, tmp_path) as place:
        with opened(place) as store:
            store.create(datetime.now(UTC))
        yield Shared(place, tmp_path / "said", service)


@contextmanager
def _place(kind: str, folder: Path) -> Iterator[str]:
    if kind == "file":
        yield str(folder / "receipts.jsonl")
        return
    subprocess.run(["git", "init", "-q", "--bare", REPOSITORY], cwd=folder, env=ENV, check=True)
    with serving(folder) as server:
        server.takes_pushes = True
        yield server.url


def assert_once(shared: Shared, ended: Sequence[Ended], capsule_id: str = "session-keys") -> None:
    """Every target got one write or none, and its receipt says no more and no less than is known."""
    assert {one.status for one in ended} <= {0, KILLED}
    writes = Counter(target for target, capsule in shared.service.writes if capsule == capsule_id)
    rows, history = shared.rows(), shared.history()
    for target in TARGETS:
        key = shared.job(capsule_id=capsule_id).plan(target).claim_key
        row = rows.get(key)
        assert writes[target] <= 1, target
        if row is None:
            assert writes[target] == 0, target
            continue
        assert isinstance(row, Receipt)
        assert history[key, "claimed"] == 1
        assert row.status in (ReceiptStatus.CLAIMED, ReceiptStatus.PUBLISHED)
        said = [one for end in ended for one in end.said if one.target == target]
        assert not any(one.unrecorded for one in said)
        writers = [one for one in said if one.written_now]
        if row.status is ReceiptStatus.PUBLISHED:
            assert writes[target] == 1
            assert history[key, "published"] == 1
            # Who wrote may have died after settling and before it could say so.
            assert [one.reference for one in writers] in ([], [row.external_reference])
        else:
            assert history[key, "published"] == 0
            assert writers == []
            later = datetime.now(UTC) + CLAIM + timedelta(seconds=1)
            assert row.standing(later) is ReceiptStatus.AMBIGUOUS
        for one in said:
            assert one.status in ("published", "ambiguous")
            assert one.reference in (None, row.external_reference)


def jobs_of_chance(shared: Shared, chance: random.Random, *, mortal: bool) -> list[Job]:
    """Publishers of one capsule that create or append, in any order of targets, at any pace.

    Of the mortal ones two thirds die at a step, if they get there, and a third at any moment.
    """
    jobs = []
    for number in range(PUBLISHERS):
        targets = chance.sample(TARGETS, len(TARGETS))
        fields: dict[str, object] = {
            "seed": chance.randrange(1 << 30),
            "pause": chance.choice([0.0, 0.05, 0.3]),
            "operation": list(Operation)[number % 2],
        }
        if mortal and number % 3:
            fields["dies_at"] = (chance.choice(TARGETS), chance.choice(list(Step)))
        elif mortal:
            fields["dies_after"] = chance.uniform(0, 1.5)
        jobs.append(shared.job(*targets, **fields))
    return jobs


def test_all_who_publish_at_once_write_once(shared: Shared) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")  # noqa: T201 - to repeat a failure
    ended = shared.run(*jobs_of_chance(shared, random.Random(seed), mortal=False))
    assert_once(shared, ended)
    assert sorted(target for target, _ in shared.service.writes) == sorted(TARGETS)
    assert [row.status for row in shared.rows().values() if isinstance(row, Receipt)] == [
        ReceiptStatus.PUBLISHED
    ] * len(TARGETS)


def test_those_who_die_anywhere_leave_one_write_or_a_claim(shared: Shared) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")  # noqa: T201 - to repeat a failure
    first = shared.run(*jobs_of_chance(shared, random.Random(seed), mortal=True))
    assert_once(shared, first)
    before = list(shared.service.writes)
    again = shared.run(shared.job(*TARGETS))
    assert_once(shared, [*first, *again])
    tried = shared.service.writes[len(before) :]
    assert not {target for target, _ in before} & {target for target, _ in tried}
    print(f"{len(before)} writes, then {len(tried)}; {sum(one.status == KILLED for one in first)} killed")  # noqa: T201 - a measurement


AFTER_DEATH = {
    # The step it dies at: writes that arrived, whether the row says published, what the next run says.
    Step.CLAIMING: (0, None, "published"),
    Step.READING_BACK: (0, ReceiptStatus.CLAIMED, "ambiguous"),
    Step.WRITING: (0, ReceiptStatus.CLAIMED, "ambiguous"),
    Step.SETTLING: (1, ReceiptStatus.CLAIMED, "ambiguous"),
    Step.DONE: (1, ReceiptStatus.PUBLISHED, "published"),
}


def test_a_run_killed_at_a_step_leaves_what_that_step_is_known_to_leave(shared: Shared) -> None:
    """All at once, each with a hand-off of its own: no claim is lost to another's."""
    target = TARGETS[0]
    ids = {step: f"dies-at-{step.value}".replace("_", "-") for step in AFTER_DEATH}
    first = shared.run(
        *(shared.job(target, capsule_id=ids[step], dies_at=(target, step.value)) for step in AFTER_DEATH)
    )
    assert [one.status for one in first] == [KILLED] * len(AFTER_DEATH)
    rows, writes = shared.rows(), Counter(shared.service.writes)
    again = shared.run(*(shared.job(target, capsule_id=ids[step]) for step in AFTER_DEATH))
    for (step, (arrived, status, next_says)), second in zip(AFTER_DEATH.items(), again, strict=True):
        row = rows.get(shared.job(capsule_id=ids[step]).plan(target).claim_key)
        assert writes[target, ids[step]] == arrived, step
        assert (row.status if isinstance(row, Receipt) else None) is status, step
        (said,) = second.said
        assert said.status == next_says, step
        assert said.written_now is (step is Step.CLAIMING), step
    assert max(Counter(shared.service.writes).values()) == 1
