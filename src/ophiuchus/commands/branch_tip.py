"""The default branch's tip on the server, looked at again just before each claim (design §7)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from ophiuchus.git.remote import Remote
from ophiuchus.git.scratch import open_own
from ophiuchus.git.server_view import branch_tip
from ophiuchus.publish.gate import GateRefusal, judge_tip
from ophiuchus.text.problem import ExpectedFailure


class NoTip(ExpectedFailure):
    """The server names no default branch, or does not have it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """The tip of `branch`, compared with the `state` that judging `head` came to.

    `branch` is None where the server names none. `state_at` judges a commit as `head` was judged.
    """

    server: Remote
    env: Mapping[str, str]
    object_format: str
    branch: str | None
    head: str
    state: Hashable
    state_at: Callable[[str], Hashable]
    _alike: set[str] = field(default_factory=set, init=False)

    def refusals(self) -> tuple[GateRefusal, ...]:
        """Why what was judged is not what the tip says."""
        try:
            return judge_tip(self.state, self._state_at_tip())
        except ExpectedFailure as failure:
            why = ". ".join(filter(None, (failure.message, failure.remedy.rstrip("."))))
            return judge_tip(self.state, None, why)

    def _state_at_tip(self) -> Hashable:
        """What judging the tip comes to. Raises ExpectedFailure."""
        if self.branch is None:
            raise NoTip("the server names no default branch")
        with open_own(self.env, self.object_format) as scratch:
            tip = branch_tip(scratch, self.server, self.env, self.branch)
        if tip is None:
            raise NoTip(f"the server has no branch {self.branch} any more")
        if tip != self.head and tip not in self._alike:
            state = self.state_at(tip)
            if state != self.state:
                return state
            self._alike.add(tip)
        return self.state
