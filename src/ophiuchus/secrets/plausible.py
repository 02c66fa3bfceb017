"""Whether a value can be a real secret: not a placeholder, not a reference to one, not a word.

A placeholder is a whole value or a word of its own in it, never a few letters by chance (C116). A reference
says where the secret is kept. Random text is told from identifiers by its pieces: runs of letters of one
case, or of digits, are short in the one and long in the other.
"""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HEX = re.compile(r"[0-9a-f]{24,}|[0-9A-F]{24,}")
_SHORT_PIECES = 2.8
"""Most characters of a piece, on average, in random text. In identifiers there are three and more."""
_FEWEST_PIECES = 5

_PLACEHOLDERS = """\
your my example sample placeholder changeme change changeit redacted masked hidden removed omitted dummy
fake insert replace replaceme todo tbd fixme foo bar baz foobar none null nil undefined true false test
testing tests mock demo user username admin root guest password passwd pass passphrase pwd secret token
key apikey value string here xxx optional required invalid empty default anonymous postgres mysql redis
rabbitmq mongo minio localhost development dev local letmein qwerty credentials credential bearer basic
login name"""
_PLACEHOLDER_WORDS = frozenset(_PLACEHOLDERS.split())
# The last three are an ellipsis and two bullets, in UTF-8 read as Latin-1.
_MASK = re.compile(r"\*{2,}|[xX]{4,}|\.{3}|#{4,}|_{4,}|-{4,}|0{8,}|\xe2\x80\xa6|\xe2\x80\xa2|\xe2\x97\x8f")
_TEMPLATE = re.compile(
    r"[$#]\{|\$\(|\{\{|%\(|<%|\{\w*\}|\\[ux(]"
    r"|^(?:\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|%[sdv]|<[^<>]*>?|\{[^{}]*\}|\[[^\[\]]*\]?)$"
)
_KEPT_ELSEWHERE = re.compile(
    r"(?i)(?:arn|vault|op|env|file|ssm|sm|gcp|aws|azure|keyvault|ref|secrets?|secretref|awssm|sops|enc|https?):"
    r"|(?:secrets?|environ|getenv|process|settings|config|os|self|this|vars|params|props|options|args)[.?]"
    r"|(?:\.{0,2}|~|[A-Za-z]:)/[^/]+/"
)
_DIGEST = re.compile(
    r"(?i)(?:sha\d+|md5|bcrypt|scrypt|argon2\w*|pbkdf2\w*)[:$-]|\$(?:2[aby]|5|6|argon2\w*|scrypt|pbkdf2[\w-]*)\$"
)
_CODE = re.compile(r"[(){}\[\]]|=>|->|::|^[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$")
_WHEN_OR_NUMBER = re.compile(r"v?[\d.:,TZ+\-/_%~^]+(?:[a-z]{1,3}\d{0,2})?")
_UUID = re.compile(r"(?i)\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?")
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD = r"(?:[A-Za-z]+\d{0,4}|\d{1,4}|[A-Za-z]\d{1,3}[A-Za-z]{1,3})"
_IDENTIFIER = re.compile(rf"{_WORD}(?:[-_./:+]{_WORD})+")
_NAME = re.compile(r"[A-Za-z_./:-]+\d{0,2}")
_SYMBOL = re.compile(r"[!@#$%^&*?+=~]")


def is_body(value: str) -> bool:
    """The part of a provider's token after its prefix: anything but filling and counting."""
    return not (_is_filling(value) or _is_counting(value))


def is_mixed_body(value: str) -> bool:
    """As `is_body`, with a digit or with letters of both cases, as all but freak ones have."""
    return (any(map(str.isdigit, value)) or _has_both_cases(value)) and is_body(value)


def is_random_body(value: str) -> bool:
    """As `is_body`, for a prefix that words have too: with a digit, and not reading like words."""
    return any(map(str.isdigit, value)) and is_body(value) and not _reads_like_words(value)


def is_token(value: str) -> bool:
    """What stands where a token or a key is named: at least twelve characters that look random."""
    if len(value) < 12 or is_no_secret(value) or _UUID.fullmatch(value) or _CODE.search(value):
        return False
    return is_random(value)


def is_random_value(value: str) -> bool:
    """What prose says a password or a token is: at least eight characters that look random."""
    return len(value) >= 8 and not (is_no_secret(value) or _UUID.fullmatch(value)) and is_random(value)


def is_password(value: str) -> bool:
    """What stands where a password is named: at least eight characters, letters with digits or symbols.

    A password of letters alone cannot be told from a word, and is not found.
    """
    if len(value) < 8 or is_no_secret(value) or _CODE.search(value):
        return False
    if is_random(value):
        return True
    if _names_a_secret(value) or _IDENTIFIER.fullmatch(value):
        return False
    has_letter = any(map(str.isalpha, value))
    return has_letter and (any(map(str.isdigit, value)) or len(_SYMBOL.findall(value)) > 1)


def is_password_in_url(value: str) -> bool:
    """What stands between `:` and `@` of a URL: anything that is no placeholder and no well-known default."""
    return len(value) >= 6 and not is_no_secret(value) and not _names_a_secret(value)


def is_user_and_password(value: str) -> bool:
    """What follows `Basic`: base64 of `user:password`, or of `user:token`."""
    try:
        user, colon, password = base64.b64decode(value + "=" * (-len(value) % 4)).decode().partition(":")
    except ValueError:
        return False
    return (
        bool(colon)
        and user != password
        and (user + password).isprintable()
        and is_password_in_url(password or user)
    )


def is_signed_token(value: str) -> bool:
    """A JSON Web Token: its first part decodes to an object that names the algorithm."""
    first = value.partition(".")[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header


def is_discord_token(value: str) -> bool:
    """A bot's token: its first part decodes to the bot's number."""
    first = value.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).isdigit()
    except ValueError:
        return False


def is_random(value: str) -> bool:
    """Whether the value's pieces are short and many, as in no identifier.

    Letters alone need both cases and twelve of them: nothing else tells them from words.
    """
    if _HEX.fullmatch(value):
        return any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    letters_alone = not any(map(str.isdigit, value))
    if _IDENTIFIER.fullmatch(value) or (letters_alone and not (_has_both_cases(value) and len(value) >= 12)):
        return False
    pieces = _PIECES.findall(value)
    return len(pieces) >= _FEWEST_PIECES and sum(map(len, pieces)) / len(pieces) < _SHORT_PIECES


def is_no_secret(value: str) -> bool:
    """A placeholder, a template, a reference, a moment, a number, a digest."""
    if _MASK.search(value) or _TEMPLATE.search(value):
        return True
    if _KEPT_ELSEWHERE.match(value) or _DIGEST.match(value) or _WHEN_OR_NUMBER.fullmatch(value):
        return True
    if any(map(str.isspace, value)) or _is_filling(value) or _is_counting(value):
        return True
    words = [word.lower().strip("0123456789") for word in _WORDS.findall(value)]
    return any(word in _PLACEHOLDER_WORDS for word in words) and not is_random(value)


def _has_both_cases(value: str) -> bool:
    return value.lower() != value != value.upper()


def _names_a_secret(value: str) -> bool:
    """A word inside says what the value is for: `newPassword1`, `DB_TOKEN_2`; not so `MyPass2024!`."""
    if _NAME.fullmatch(value) is None:
        return False
    pieces = {piece.lower() for piece in _PIECES.findall(value)}
    return not pieces.isdisjoint(
        ("password", "passwd", "pass", "pwd", "secret", "token", "key", "credentials")
    )


def _reads_like_words(value: str) -> bool:
    pieces = _PIECES.findall(value)
    return bool(_IDENTIFIER.fullmatch(value)) or sum(map(len, pieces)) > 4 * len(pieces)


def _is_filling(value: str) -> bool:
    """One character over and over, or none that tells: `xxxxxxxx`, `00000000`."""
    return len(set(value.lower())) < 2 or bool(re.search(r"(.)\1{7}", value))


def _is_counting(value: str) -> bool:
    """Mostly neighbours in the alphabet: `1234567890abcdef`."""
    steps = [ord(after) - ord(before) for before, after in pairwise(value)]
    return steps.count(1) * 5 > len(steps) * 3
