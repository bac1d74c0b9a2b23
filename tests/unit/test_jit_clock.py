"""Time in which numba is imported and the cache is read is no part of timeouts."""

import time

from pyrave.jit import seconds_compiled
from pyrave.jit.request import Request


def test_looking_for_machine_code_counts_as_waiting(monkeypatch):
    def slowly(_self):
        time.sleep(0.05)
        return True

    monkeypatch.setattr(Request, "is_kept", property(slowly))
    monkeypatch.setattr(Request, "is_python", property(lambda _self: False))
    before = seconds_compiled()
    request = Request("pyrave.grasping.kernels.grip", "grip")
    assert request.is_ready
    assert seconds_compiled() - before >= 0.05
