"""What Slack's own markup is to a strict reader: more than Slack takes for formatting is taken for it here.

Slack documents `<…>` for mentions, references, dates and links, three entities, and marks that format between
word boundaries. A zero-width space is no hindrance to a mark here, and no letter is needed on either side.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Block,
    Bullets,
    Code,
    CodeBlock,
    Heading,
    Inline,
    Line,
    Link,
    Paragraph,
    Quote,
    Status,
    Strong,
    Text,
)
from ophiuchus.views.render.flat import flattened
from ophiuchus.views.render.inert import joined

ZERO_WIDTH = "\u200b"

_TOKENS = re.compile(
    r"```\n?(?P<fence>.*?)\n?```"
    r"|`(?P<code>[^`\n]+)`"
    r"|<(?P<control>[^<>]*)>"
    r"|\*(?P<bold>[^*\n]+)\*"
    r"|~(?P<struck>[^~\n]+)~"
    r"|(?<![A-Za-z0-9])_(?P<italic>[^_\n]+)_(?![A-Za-z0-9])"
    r"|(?P<emoji>:[\w+-]+:)"
    r"|(?P<address>https?:/+[^\s>|]|www\.|mailto:|@[a-z0-9])"
    r"|^[ \t]*(?P<quote>>|&gt;)"
    r"|(?P<stray>[<>]|&(?!(?:amp|lt|gt);))",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}
_LOOK_ALIKES = str.maketrans("\u2217\u02cd\u223c\u02cb\u2223", "*_~`|")


@dataclass
class Reading:
    """All words without blanks, the forms in order, the links (label, address), and whatever else acts."""

    words: str = ""
    forms: list[list[str]] = field(default_factory=list)
    links: list[list[str]] = field(default_factory=list)
    live: list[list[str]] = field(default_factory=list)


def read_mrkdwn(text: str) -> Reading:
    found = Reading()
    _read(text, 0, len(text), found)
    found.words = bare(found.words)
    return found


def _read(text: str, start: int, end: int, found: Reading) -> None:
    for token in _TOKENS.finditer(text, start, end):
        found.words += decoded(text[start : token.start()])
        start = token.end()
        kind, inner = token.lastgroup or "", token[token.lastgroup or 0]
        if kind in ("fence", "code"):
            found.forms.append([kind, bare(decoded(inner))])
            found.words += decoded(inner)
        elif kind == "bold":
            within = Reading()
            _read(text, token.start("bold"), token.end("bold"), within)
            found.live += within.live + within.forms
            found.forms.append([kind, bare(within.words)])
            found.words += within.words
        elif kind == "control" and (link := re.fullmatch(r"(https?://[^|]+)\|([^|]+)", inner)):
            found.links.append([bare(decoded(link[2])), link[1]])
            found.words += decoded(link[2])
        elif kind == "quote" and inner == ">":
            found.forms.append([kind])
        else:
            found.live.append([kind, inner])
    found.words += decoded(text[start:end])


def decoded(text: str) -> str:
    return re.sub("&(amp|lt|gt);", lambda entity: _ENTITIES[entity[1]], text)


def bare(text: str) -> str:
    """Without blanks and zero-width spaces, look-alikes as what they look like."""
    return "".join(text.replace(ZERO_WIDTH, "").split()).translate(_LOOK_ALIKES)


def meant_for_slack(blocks: Iterable[Block]) -> Reading:
    """What the strict reader should find in these blocks."""
    found = Reading()
    for block in flattened(blocks):
        match block:
            case Heading(_, line):
                _mean(tuple(_strong(line)), found)
            case Paragraph(line):
                _mean(line, found)
            case Bullets(items):
                for item in items:
                    shown = Reading()
                    _mean(item, shown)
                    found.words += f"•{shown.words}"
                    found.forms += shown.forms
                    found.links += shown.links
            case Quote(text):
                found.forms += [["quote"]] * (clean(text).count("\n") + 1)
                found.words += clean(text)
            case CodeBlock(text):
                found.forms.append(["fence", bare(clean(text))])
                found.words += clean(text)
    found.words = bare(found.words)
    return found


def _strong(line: Line) -> Iterator[Inline]:
    run = ""
    for node in line:
        if isinstance(node, Text):
            run += node.value
            continue
        yield Strong(run)
        run = ""
        yield node
    yield Strong(run)


def _mean(line: Line, found: Reading) -> None:
    for node in joined(line):
        match node:
            case Text(value):
                found.words += clean(value)
            case Strong(value) | Status(value):
                found.words += node.tone.sign if isinstance(node, Status) else ""
                found.words += clean(value)
                if clean(value).strip():
                    found.forms.append(["bold", bare(clean(value))])
            case Code(value):
                found.words += clean(value)
                found.forms.append(["code", bare(clean(value))])
            case Link(label, target):
                shown = clean(label) if clean(label).strip() else target
                found.words += shown
                found.links.append([bare(shown), target])


# Read by a parser that we did not write.

PACKAGES = Path(__file__).parents[1] / "views" / "slack"
NO_NODE = "node or its packages are missing: npm ci --prefix tests/views/slack"


def judge_is_installed() -> bool:
    return shutil.which("node") is not None and (PACKAGES / "node_modules" / "slack-markdown").is_dir()


class SlackJudge:
    """slack-markdown in one process for many texts. It decodes nothing and knows no forms that we compare."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["node", PACKAGES / "judge.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, text: str) -> Reading:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        links = [[bare(decoded(label)), target] for label, target in found["links"]]
        return Reading(bare(decoded(found["words"])), [], links, found["live"])
