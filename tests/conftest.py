"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine does. With CI set, Hypothesis has a profile of
# its own that leaves time out too.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("CI"):
    settings.load_profile("unhurried")
