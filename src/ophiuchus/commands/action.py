"""`ophiuchus action`: one step of a workflow, the container's only command.

Secrets are masked before anything is printed; then the inputs are read, and the step of that mode does its
work and tells of it on its surfaces.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from ophiuchus.commands.edge import Edge, ExitStatus
from ophiuchus.commands.surfaces import NOTHING_JUDGED, Surfaces
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.workflow.commands import Annotation, CommandWriter, Level
from ophiuchus.workflow.debug_log import Phase
from ophiuchus.workflow.event import read_event
from ophiuchus.workflow.inputs import Mode, Settings, given_mode, misspelt_inputs, read_settings

HELP = "run as a step of a GitHub workflow (what the action's container does)"
EXAMPLE = "  GITHUB_WORKSPACE=$PWD INPUT_FAIL_ON=stale ophiuchus action"

_DONE = {
    Mode.CHECK: "judged",
    Mode.SWEEP: "judged",
    Mode.PREVIEW: "previewed",
    Mode.PUBLISH: "published",
}


def add_arguments(_: argparse.ArgumentParser) -> None:
    """It has no options: a step is set up by its inputs."""


def run(_: argparse.Namespace, edge: Edge) -> ExitStatus:
    """Run one step. Everything outside comes from `edge.env`, as the runner sets it."""
    writer = CommandWriter(edge.stdout)
    mode = given_mode(edge.env)
    if edge.env.get("GITHUB_ACTIONS") == "true":  # anywhere else nobody would swallow what is to be hidden
        writer.mask(_secrets(edge.env, mode))
    surfaces = Surfaces(edge, writer, read_event(edge.env))
    with ExitStack() as held:
        try:
            for sentence in misspelt_inputs(edge.env):
                writer.annotate(Annotation(Level.WARNING, "", sentence))
            settings = read_settings(edge.env)
            surfaces.log.note(Phase.INPUTS)
            if settings.ca_bundle:
                from ophiuchus.commands.trust import trusting

                surfaces.use_environment(held.enter_context(trusting(Path(settings.ca_bundle), edge.env)))
                surfaces.log.note(Phase.TRUST)
            tell = _begin(settings, surfaces)
        except ExpectedFailure as failure:
            surfaces.log.note(Phase.REFUSED)
            surfaces.tell_failure(failure, _DONE[mode])
            return ExitStatus.BAD_INPUT
        except Exception:
            surfaces.write_outputs(NOTHING_JUDGED)
            raise
        status = tell()
    surfaces.log.note(Phase.ENDED, status=status)
    return status


def _begin(settings: Settings, surfaces: Surfaces) -> Callable[[], ExitStatus]:
    """Do the work of the mode; what is left is to tell of it. Raises ExpectedFailure."""
    if settings.mode is Mode.CHECK:
        from ophiuchus.commands.check_step import begin_check

        return begin_check(settings, surfaces)
    if settings.mode is Mode.SWEEP:
        from ophiuchus.commands.sweep_step import begin_sweep

        return begin_sweep(settings, surfaces)
    from ophiuchus.commands.publish_step import begin_publishing

    return begin_publishing(settings, surfaces)


def _secrets(env: Mapping[str, str], mode: Mode) -> Iterator[str]:
    """What must not be shown. Providers' credentials are read where they are used only."""
    yield env.get("INPUT_GITHUB_TOKEN", "")
    if mode is Mode.PUBLISH or (mode is Mode.SWEEP and env.get("INPUT_DIGEST_TO", "").strip()):
        from ophiuchus.publish.capability import CAPABILITIES

        for capability in CAPABILITIES.values():
            for variables in capability.variables:
                yield from (env.get(variable, "") for variable in variables)
