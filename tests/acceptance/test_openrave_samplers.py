"""Samplers against the numbers that OpenRAVE's gave for the same seed, bit by bit."""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave
from pyrave import Interval
from pyrave.interfaces.spacesampler import SampleDataType

SHARED = corpus.shared_folder()
pytestmark = pytest.mark.skipif(SHARED is None, reason="the corpus is not here")


@pytest.fixture(scope="module")
def expected():
    path = SHARED / "expected" / "openrave_topics" / "samplers.json"
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    ("key", "interface"), [("mt19937", "MT19937"), ("halton", "Halton")]
)
def test_same_numbers(expected, key, interface):
    recorded = expected[key]
    sampler = pyrave.Environment().create("spacesampler", interface)
    sampler.set_space_dof(recorded["dof"])
    np.testing.assert_array_equal(sampler.get_limits(), recorded["limits"])
    assert sampler.supports(SampleDataType.REAL) == recorded["supports_real"]
    assert sampler.supports(SampleDataType.UINT32) == recorded["supports_uint32"]
    for name, interval in (
        ("real_closed_seed5", Interval.CLOSED),
        ("real_halfopen_seed5", Interval.OPEN_END),
    ):
        sampler.set_seed(5)
        values = np.reshape(recorded[name], (-1, recorded["dof"]))
        got = sampler.sample_sequence(len(values), interval)
        np.testing.assert_array_equal(got, values)
    if recorded["supports_uint32"]:
        sampler.set_seed(5)
        integers = recorded["uint32_seed5"]
        got = sampler.sample_sequence_uint32(len(integers))
        assert got[:, 0].tolist() == integers
