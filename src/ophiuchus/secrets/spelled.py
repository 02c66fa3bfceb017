r"""Other spellings of a text: percent codes, character references, Markdown's backslashes, wide characters.

What a URL, a page or a Markdown view shows as a secret is read as one (`ghp\_…`, `%3D`, `&quot;`), as is a
token that a terminal or an editor broke over two lines.
"""

from __future__ import annotations

import html
import re
import unicodedata
from urllib.parse import unquote

_ESCAPED_LETTER = re.compile(r"\\+u00([2-7][0-9A-Fa-f])")
_ESCAPED_SIGN = re.compile(r"\\([_*~.=+!#-])")
_BROKEN = re.compile(r"(?<=[A-Za-z0-9_-]{16})\\?\r?\n[ \t>]{0,8}(?=[A-Za-z0-9_-])")

TRIGGER = (
    r"%[2-7][0-9A-Fa-f]|&(?:#[xX]?[0-9A-Fa-f]{2,6}|[a-z]{2,6});|\\u00[2-7]|\\[_*~.=+!#-]"
    r"|\xef(?:\xbc[\x81-\xbf]|\xbd[\x80-\x9e])"
)
"""What occurs, in UTF-8, wherever `spelled_out` changes something."""
BROKEN_TRIGGER = r"[A-Za-z0-9_-]{16}\\?\r?\n[ \t>]{0,8}[A-Za-z0-9_-]"
"""What occurs wherever `joined` changes something."""


def spelled_out(text: str) -> str:
    """The text with every other spelling of ASCII written plainly."""
    text = _ESCAPED_LETTER.sub(lambda found: chr(int(found[1], 16)), text)
    text = _ESCAPED_SIGN.sub(r"\1", unquote(html.unescape(text)))
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def joined(text: str) -> str:
    """The text with words of token's length joined to the line below: only for rules that know a form."""
    return _BROKEN.sub("", text)
