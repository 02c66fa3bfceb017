"""Links for people: from the configured site and checked ids, never from an address in an answer (design §7).

Each has at most one query parameter, so that it is a target that `views.document.Link` takes.
"""

from __future__ import annotations

from urllib.parse import quote

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.reference import Reference


def link_to(provider: ProviderName, site: str | None, target: str, reference: Reference) -> str | None:
    """The page of what `reference` names; None where the `site` is not known.

    `target` is canonical, `site` an address as `origins` gives it. In Teams a reply links to its thread.
    """
    if site is None:
        return None
    artifact, part = reference.artifact, reference.part
    match provider:
        case ProviderName.GITHUB:
            return f"{site}/{target}/issues/{artifact}" + (f"#issuecomment-{part}" if part else "")
        case ProviderName.JIRA:
            return f"{site}/browse/{artifact}" + (f"?focusedCommentId={part}" if part else "")
        case ProviderName.CLICKUP:
            return f"{site}/t/{artifact}" + (f"?comment={part}" if part else "")
        case ProviderName.SLACK:
            moment = (part or artifact).replace(".", "")
            return f"{site}/archives/{target}/p{moment}" + (f"?thread_ts={artifact}" if part else "")
        case ProviderName.TEAMS:
            team, channel = target.split("/", 1)
            return f"{site}/l/message/{quote(channel, safe='')}/{artifact}?groupId={team}"
