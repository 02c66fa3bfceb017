"""A run's own report, with what joined reports say of other repositories: what a digest of many tells. Pure.

What was judged here stands as it is, whatever a report says of this repository.
"""

from __future__ import annotations

from dataclasses import replace

from ophiuchus.report.model import Report
from ophiuchus.report.totals import count


def with_elsewhere(own: Report, name: str, joined: Report) -> Report:
    """The report `own` of the repository `name`, and what of others needs action or is a problem.

    Everything in it says whose it is then; where others have nothing to tell, it is `own` itself.
    """
    capsules = [
        one
        for one in joined.capsules
        if is_elsewhere(one.repository, name) and one.needs_action and not one.continued
    ]
    problems = [one for one in joined.problems if is_elsewhere(one.repository, name)]
    if not capsules and not problems:
        return own
    capsules += [replace(one, repository=name) for one in own.capsules]
    capsules.sort(key=lambda one: one.order)
    problems = [*(replace(one, repository=name) for one in own.problems), *problems]
    totals = count(capsules, problems=len(problems), notices=len(own.notices))
    return replace(own, capsules=tuple(capsules), problems=tuple(problems), totals=totals)


def is_elsewhere(repository: str | None, home: str | None) -> bool:
    """Whether something is said to be of another repository than `home`; of any, where that is None."""
    return repository is not None and (home is None or repository.casefold() != home.casefold())
