"""Which variable names the file of certificate authorities that a run trusts, for every way out alike."""

from __future__ import annotations

from collections.abc import Mapping

from ophiuchus.text.problem import ExpectedFailure

VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
"""The first that is set counts; its value is the path of a PEM file."""


class UnusableCertificates(ExpectedFailure):
    """The file of certificate authorities that `name` names (a variable, an input) cannot be used."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} names no file of certificates that can be read",
            f"Set {name} to a PEM file that exists where this runs, or unset it.",
        )


def authorities_variable(env: Mapping[str, str]) -> str | None:
    """The variable of `env` that names the file, None where there is none and the usual ones are trusted."""
    return next((name for name in VARIABLES if env.get(name)), None)
