"""Databases of OpenRAVE's robots have the figures of OpenRAVE's own."""

import warnings

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.databases import LinkStatistics

ROOT = corpus.openrave_root()
needs_corpus = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")


@needs_corpus
def test_link_statistics_of_hanois_puma(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyrave.SceneWarning)
        env = pyrave.load(ROOT / "data" / "hanoi.env.xml", resource_roots=[ROOT])
    stats = LinkStatistics(env.robots["Puma"]).build()
    # of OpenRAVE 0.149: setRobotWeights(), setRobotResolutions(0.002)
    weights = (2.0129, 2.0129, 1.3209, 0.4671, 0.4671, 0.4671, 0.2519)
    steps = (0.00262, 0.00262, 0.00399, 0.01129, 0.01129, 0.01129, 0.02094)
    np.testing.assert_allclose(stats.robot_weights(), weights, atol=5e-5)
    np.testing.assert_allclose(stats.robot_resolutions(0.002), steps, atol=5e-6)
