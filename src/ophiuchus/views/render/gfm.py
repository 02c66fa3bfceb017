"""Document -> GitHub Flavored Markdown in which nothing that came from data is live."""

from __future__ import annotations

import re

from ophiuchus.views.budget import COMMENT, Budget, render_within
from ophiuchus.views.document import Document, Finish, unchanged
from ophiuchus.views.render.inert import ACTING
from ophiuchus.views.render.markdown import Markdown

# Besides what acts everywhere: commit ids (seven digits are enough for GitHub), references to issues and
# advisories, keys that a repository or a tracker may link, and alerts. Ids come before keys: a key may begin
# with one, or where one was broken. Its length is bounded, so that each start costs little.
GITHUB = Markdown(
    re.compile(
        rf"{ACTING}|[0-9a-f]{{6}}(?=[0-9a-f])|(?:gh|cve)-(?=[0-9])|ghsa-"
        r"|(?-i:[A-Z][A-Z0-9_]{0,40}-)(?=[0-9])|\[(?=!)",
        re.IGNORECASE,
    )
)


def render_gfm(document: Document, *, budget: Budget = COMMENT, finish: Finish = unchanged) -> str:
    """The Markdown to send, within `budget`; empty where the budget leaves no room at all.

    `finish` fills in what is known only when the document fits; it must not make it longer.
    No `<!--` of data comes out whole, so that what marks a comment as ours can be put before it by the one
    who sends it, and nowhere else be found (cases C046, C082).
    """
    return render_within(budget, document, finish, GITHUB.sent).removesuffix("\n")
