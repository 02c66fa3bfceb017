"""What all tests share."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine does. With CI set, Hypothesis has a profile of
# its own that leaves time out too.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("CI"):
    settings.load_profile("unhurried")

# A shell's background job ignores SIGINT, and so does all that it starts; some tests send it to a process.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
