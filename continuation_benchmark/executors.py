"""Who answers: `oracle` replays the ground truth, `command` asks a program."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from typing import Annotated, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from continuation_benchmark.case import Case
from continuation_benchmark.rendering import Arm, question


class Answer(BaseModel):
    """What an executor would do, in order, and which statements it relies on. Unknown ids count as wrong."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    plan: Annotated[tuple[str, ...], Field(strict=False, max_length=1_000)] = ()
    relied_on: Annotated[tuple[str, ...], Field(strict=False, max_length=1_000)] = ()


class NoAnswer(Exception):
    """An executor gave no answer that can be scored."""


class Executor(Protocol):
    """Answers one case in one arm. `sees_the_arm` says whether arms could make any difference at all."""

    name: ClassVar[str]
    sees_the_arm: ClassVar[bool]

    def answer(self, case: Case, arm: Arm) -> Answer:
        """The answer. Raises NoAnswer."""


class Oracle:
    """Replays the committed ground truth, whatever the arm: a test of the scoring, of nothing else."""

    name: ClassVar[str] = "oracle"
    sees_the_arm: ClassVar[bool] = False

    def answer(self, case: Case, arm: Arm) -> Answer:  # noqa: ARG002 - that is the point
        """The truth."""
        return Answer(plan=case.truth.plan, relied_on=case.truth.critical)


@dataclass(frozen=True, slots=True)
class Command:
    """Runs a program for each case: the question as JSON in, the answer as JSON out, within `seconds`."""

    words: str
    seconds: float = 600

    name: ClassVar[str] = "command"
    sees_the_arm: ClassVar[bool] = True

    def answer(self, case: Case, arm: Arm) -> Answer:
        """The program's answer. Raises NoAnswer where it fails, takes too long, or prints anything else."""
        asked = json.dumps(question(case, arm), ensure_ascii=False).encode()
        try:
            done = subprocess.run(
                shlex.split(self.words), input=asked, capture_output=True, timeout=self.seconds, check=True
            )
            return Answer.model_validate(json.loads(done.stdout))
        except subprocess.TimeoutExpired:
            raise NoAnswer(f"took longer than {self.seconds} s") from None
        except subprocess.CalledProcessError as failed:
            raise NoAnswer(f"ended with status {failed.returncode}") from None
        except OSError as error:
            raise NoAnswer(f"could not be started: {error.strerror}") from None
        except ValidationError:
            raise NoAnswer("printed JSON of another shape") from None
        except ValueError:
            raise NoAnswer("printed no JSON") from None
