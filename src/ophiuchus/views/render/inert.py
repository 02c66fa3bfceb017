"""What keeps data from acting by itself on a surface: a zero-width space behind what the surface looks for.

Escaping alone does not do it: handles, bare addresses and emoji codes are looked for in the text that is left
when the syntax was read. So each of them is broken in the text itself, before it is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from ophiuchus.views.document import Inline, Line, Text

ZERO_WIDTH = "\u200b"

ACTING = r"@|\#(?!\ufe0f)|:(?=//|[\w+-]+:)|www(?=\.)|(?:mailto|xmpp)(?=:)"
"""What some surface acts on wherever it stands in prose: handles and e-mail addresses, references and
channels, schemes and hosts that link by themselves, emoji codes. A surface adds its own to it."""

ACTS = re.compile(ACTING, re.IGNORECASE)


def broken(text: str, live: re.Pattern[str] = ACTS) -> str:
    """`text` with a zero-width space behind each match of `live`."""
    return live.sub(lambda found: found[0] + ZERO_WIDTH, text)


def line_start(line: Line) -> str:
    """What keeps a line's first word from being read as syntax or as a bot's command (case C031)."""
    return ZERO_WIDTH if not line or isinstance(line[0], Text) else ""


def joined(line: Line) -> Iterator[Inline]:
    """The line with neighbouring texts as one, or a reference could hide in the seam."""
    for texts, nodes in groupby(line, lambda node: isinstance(node, Text)):
        if texts:
            yield Text("".join(node.value for node in nodes if isinstance(node, Text)))
        else:
            yield from nodes
