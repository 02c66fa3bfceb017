"""The page about providers, from the table that decides what each can do."""

from __future__ import annotations

from ophiuchus.publish.capability import CAPABILITIES, ProviderName
from ophiuchus.publish.origins import API_VARIABLES, SITE_VARIABLES
from ophiuchus.publish.target import TARGET_FORMS

_LEAD = """\
# Providers

What each service can do and what publishing there needs. A record stands for itself; a discussion asks for
an answer. `client_managed`: the provider knows no key that makes a write happen once, so our receipts see to
it. `unknown`: the same, and nobody has confirmed what the provider does with a write that arrives twice.
`inert_only`: nothing that is published calls a person.

| provider | kind | create | append | idempotency | mentions |
|---|---|---|---|---|---|
"""


def page() -> str:
    """The page in Markdown."""
    rows = "".join(
        f"| [{name}](#{name}) | {one.kind.value} | {one.made} | {one.added} | `{one.idempotency_mode}` "
        f"| `{one.mention_support}` |\n"
        for name, one in CAPABILITIES.items()
    )
    return f"{_LEAD}{rows}\n" + "\n".join(map(_section, ProviderName))


def _section(name: ProviderName) -> str:
    one = CAPABILITIES[name]
    addresses = [API_VARIABLES[name], *([SITE_VARIABLES[name]] if name in SITE_VARIABLES else [])]
    told = {
        "target": TARGET_FORMS[name],
        "credential": one.credential_requirement,
        "credential from": ", or ".join(map(_all_of, one.variables)),
        "address from": _all_of(addresses),
        "operations": one.update_semantics,
        "limits": f"{_title(one.title_limit)}; {one.limits}",
        "more": f"[making the credential, permissions, what was verified](../providers/{name}.md)",
    }
    rows = "".join(f"| {word} | {text} |\n" for word, text in told.items())
    return f"## {name.value}\n\n| what | |\n|---|---|\n{rows}"


def _all_of(variables: tuple[str, ...] | list[str]) -> str:
    return " and ".join(f"`{variable}`" for variable in variables)


def _title(limit: int | None) -> str:
    return "no title" if limit is None else f"title {limit} characters"
