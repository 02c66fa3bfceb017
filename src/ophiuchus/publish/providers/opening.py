"""One provider's adapter, imported when it is wanted: no SDK is loaded for another one's write."""

from __future__ import annotations

from collections.abc import Mapping

from ophiuchus.publish.capability import Deployment, ProviderName
from ophiuchus.publish.provider import Provider


def open_provider(
    name: ProviderName,
    env: Mapping[str, str],
    origin: str,
    deployment: Deployment = Deployment.CLOUD,
) -> Provider:
    """The adapter of `name` at `origin`, with its credential from `env`. `deployment` is which Jira.

    Raises CredentialMissing, UnusableProxy, UnusableCertificates.
    """
    match name:
        case ProviderName.GITHUB:
            from ophiuchus.publish.providers.github import open_github

            return open_github(env, origin)
        case ProviderName.JIRA:
            from ophiuchus.publish.providers.jira import open_jira

            return open_jira(env, origin, deployment)
        case ProviderName.CLICKUP:
            from ophiuchus.publish.providers.clickup import open_clickup

            return open_clickup(env, origin)
        case ProviderName.SLACK:
            from ophiuchus.publish.providers.slack import open_slack

            return open_slack(env, origin)
        case ProviderName.TEAMS:
            from ophiuchus.publish.providers.teams import open_teams

            return open_teams(env, origin)
