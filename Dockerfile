# The action's image: Debian's own Python and git, the pinned requirements, Ophiuchus.
# The runner builds it without build arguments, with whichever builder it has: no BuildKit-only syntax here.
ARG BASE_IMAGE=debian:trixie-slim

FROM ${BASE_IMAGE} AS base
# Debian's security updates are wanted, so its packages have no versions here.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git python3 \
    && rm -rf /var/lib/apt/lists/*

FROM base AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/*
# Two environments: pip stays in its own, and the action's gets none.
RUN python3 -m venv /opt/pip && python3 -m venv --without-pip /opt/venv
COPY requirements.txt tools/prune_msgraph.py /opt/
# In one layer: of the Teams SDK's 242 MB, two stay.
RUN /opt/pip/bin/pip --python /opt/venv/bin/python install --no-cache-dir --no-compile \
        --disable-pip-version-check --no-deps --require-hashes --requirement /opt/requirements.txt \
    && /opt/venv/bin/python /opt/prune_msgraph.py
COPY src/ /opt/source/
COPY entrypoint /opt/venv/bin/ophiuchus-action
# Compiled here once: a container that has just started must not compile, and keeps nothing.
RUN site=$(/opt/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
    && cp -r /opt/source/ophiuchus "$site" \
    && /opt/venv/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/venv

FROM base
LABEL org.opencontainers.image.title="Ophiuchus Action" \
    org.opencontainers.image.description="Tells a team, on its own pull requests, which of its committed agent hand-offs are still true." \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/venv /opt/venv
COPY LICENSE /usr/share/doc/ophiuchus-action/LICENSE
# No USER: the runner's command files belong to a user that no image can know.
ENTRYPOINT ["/opt/venv/bin/ophiuchus-action"]
