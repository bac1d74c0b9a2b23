"""Garbage collection while modules load and kernels are compiled."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest

from pyrave._collector import paused_collections, rare_collections


def test_what_is_made_while_modules_load_is_old_at_once():
    program = (
        "import gc\n"
        "from pyrave._collector import paused_collections\n"
        "with paused_collections():\n"
        "    assert not gc.isenabled()\n"
        "    made = [[]]\n"
        "    assert any(one is made for one in gc.get_objects(generation=0))\n"
        "assert gc.isenabled()\n"
        "assert any(one is made for one in gc.get_objects(generation=2))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_collector_that_is_off_or_has_frozen_objects_is_left_so():
    gc.disable()
    try:
        with paused_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        with paused_collections():
            pass
        assert gc.isenabled()
        assert gc.get_freeze_count() == pytest.approx(count, abs=100)
    finally:
        gc.unfreeze()


def test_frozen_objects_are_counted_once(monkeypatch):
    """A count goes through all of them, a tenth of a second where there are many."""
    counts = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(1) or 2000)
    monkeypatch.setattr("pyrave._collector._has_frozen", threading.Event())
    for _ in range(3):
        with paused_collections():
            pass
    assert len(counts) == 1


def test_of_two_blocks_the_first_changes_the_thresholds_back():
    usual = gc.get_threshold()
    first, second = rare_collections(), rare_collections()
    with first:
        second.__enter__()
    assert gc.get_threshold() == usual
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual
