"""The viewer KeptViewer keeps its contract, and works."""

from __future__ import annotations

import threading

from pyrave.testing import ViewerContract


class TestKeptViewer(ViewerContract):
    interface = "acme-kept:KeptViewer"


def test_it_shows_every_body_until_it_is_ended(scene, capsys):
    viewer = scene.create("viewer", "KeptViewer")
    assert viewer.main(show=False) == 0
    assert set(viewer.lines) == {body.name for body in scene.bodies}
    timer = threading.Timer(0.05, viewer.quit_main_loop)
    timer.start()
    assert viewer.main() == 0
    timer.join()
    assert "ball" in capsys.readouterr().out
