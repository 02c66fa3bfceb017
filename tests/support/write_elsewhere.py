"""One write by an adapter in another process, be it in a container: the program, its question, its answer."""

from __future__ import annotations

import json
from dataclasses import dataclass

from services import SECRET, Service

from ophiuchus.publish.capability import Operation

PROGRAM = """
import json, sys
from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Deployment, Operation, ProviderName
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.opening import open_provider
from ophiuchus.publish.reference import Reference
asked = json.load(sys.stdin)
provider = open_provider(
    ProviderName(asked["provider"]), asked["env"], asked["origin"], Deployment(asked["deployment"])
)
append_to = Reference(asked["append_to"]) if asked["append_to"] else None
write = Write(Operation(asked["operation"]), asked["target"], asked["content"], append_to)
outcome = attempt(provider, write)
named = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
files = [file for file in named if file]
json.dump([outcome.status, str(outcome.reference), outcome.reason, files], sys.stdout)
"""


@dataclass(frozen=True)
class Left:
    """What became of it, and the files of all modules that were loaded."""

    status: str
    reference: str
    reason: str
    files: tuple[str, ...]


def question(service: Service, operation: Operation, origin: str) -> str:
    """What the program reads from stdin. `origin` is the server's, without the service's base."""
    write = service.write(operation)
    return json.dumps(
        {
            "provider": service.provider,
            "deployment": service.deployment,
            "env": dict.fromkeys(service.variables, SECRET),
            "origin": origin + service.base,
            "operation": operation,
            "target": write.target,
            "content": write.content,
            "append_to": write.append_to and write.append_to.artifact,
        }
    )


def answer(stdout: str) -> Left:
    """What the program wrote to stdout."""
    status, reference, reason, files = json.loads(stdout)
    return Left(status, reference, reason, tuple(files))
