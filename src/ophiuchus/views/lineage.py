"""Who continues whom among a report's capsules, as a bounded drawing whose only data are ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ophiuchus.assess.continuity import ContinuityStatus
from ophiuchus.report.model import CapsuleReport
from ophiuchus.views.document import Details, Graph, Node, NotAnId, Paragraph, Part, Text

EDGES_DRAWN = 100
"""Most edges; a drawing of more is read by nobody, and of 500 it is not drawn."""
CHARACTERS_DRAWN = 10_000
"""Most characters of all ids together: Mermaid draws no text over 50,000, and each may be written as four."""

_NOT_DRAWN = (ContinuityStatus.NONE, ContinuityStatus.CYCLE)

Key = tuple[str | None, str]
"""A repository, where there are several, and an id in one case."""


def lineage(capsules: Sequence[CapsuleReport]) -> Iterator[Part]:
    """The drawing, folded; nothing where nobody continues anybody.

    Lines of what needs action come first. What was not judged in this run is there as a parent alone.
    """
    edges = [(_parent(child), child) for child in capsules if child.continuity.status not in _NOT_DRAWN]
    if not edges:
        return
    marked = {_key(one) for one in capsules if one.needs_action and not one.continued}
    edges.sort(key=lambda edge: not {_key(edge[1]), edge[0]} & marked)
    nodes: dict[Key, int] = {}
    shown: list[Node] = []

    def place_of(key: Key, capsule_id: str) -> int:
        if key not in nodes:
            shown.append(Node(capsule_id, marked=key in marked))
            nodes[key] = len(nodes)
        return nodes[key]

    drawn: list[tuple[int, int]] = []
    for parent, child in edges[:EDGES_DRAWN]:
        declared = child.continuity.parent_capsule_id or ""
        ids = (*(node.capsule_id for node in shown), declared, child.capsule_id)
        if sum(map(len, ids)) > CHARACTERS_DRAWN:
            break
        try:
            drawn.append((place_of(parent, declared), place_of(_key(child), child.capsule_id)))
        except NotAnId:  # only a report that was not written by this program names one
            continue
    if drawn:
        said = "Each arrow leads to the capsule that continues another. Dashed ones need action."
        graph = Graph(tuple(shown), tuple(drawn), len(edges) - len(drawn))
        summary = (Text(f"Who continues whom ({len(edges):,})"),)
        yield Part("the lineage", 4, (Details(summary, (Paragraph((Text(said),)), graph)),))


def _key(capsule: CapsuleReport) -> Key:
    return capsule.repository, capsule.capsule_id.casefold()


def _parent(capsule: CapsuleReport) -> Key:
    return capsule.repository, (capsule.continuity.parent_capsule_id or "").casefold()
