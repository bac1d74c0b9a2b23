"""Values that are no poses, vectors, numbers or types of goals."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave

_DATE = np.datetime64("2020-01-01")
_WORDLESS = {
    "none": None,
    "a dictionary": {},
    "an object": object(),
    "ragged": [[1], [1, 2]],
}


def no_poses():
    """Return what is no (4, 4) pose and no 7-vector of one, by name."""
    pose = np.eye(4)
    return {
        **_WORDLESS,
        "complex": pose + 0j,
        "complex values": pose * (1 + 1j),
        "nan": np.where(pose == 1.0, pose, np.nan),
        "infinite": np.array([[1, 0, 0, np.inf], *pose[1:].tolist()]),
        "a rotation": pose[:3, :3],
        "three rows": pose[:3],
        "several": np.stack([pose, pose]),
        "flat": pose.ravel(),
        "scaled": np.diag([2.0, 2.0, 2.0, 1.0]),
        "sheared": pose + 0.3 * np.eye(4, k=1) * (pose[:, :1] + 0.0),
        "reflected": np.diag([1.0, 1.0, -1.0, 1.0]),
        "projective": pose + np.eye(4, k=-3),
        "nothing": np.zeros((4, 4)),
        "a text": "pose",
        "texts": pose.astype(str),
        "dates": np.full((4, 4), _DATE),
        "a quaternion of zeros": np.zeros(7),
        "a complex quaternion": [1 + 0j, 0, 0, 0, 0, 0, 0],
        "empty": [],
        "a number": 1.0,
    }


def no_vectors(n):
    """Return what is no vector of n finite numbers, by name."""
    return {
        **_WORDLESS,
        "complex": np.ones(n) + 0j,
        "complex values": np.ones(n) * 1j,
        "nan": np.full(n, np.nan),
        "infinite": np.full(n, np.inf),
        "long": np.zeros(n + 1),
        "short": np.zeros(n - 1),
        "a row": np.zeros((1, n)),
        "a text": "1" * n,
        "texts": ["0"] * n,
        "nones": [None] * n,
        "dates": np.full(n, _DATE),
        "a number": 0.5,
    }


def no_numbers():
    """Return what is no finite number, by name."""
    return {
        "complex": 1j,
        "nan": float("nan"),
        "infinite": float("inf"),
        "a text": "1",
        "none": None,
        "a list": [1, 2],
    }


def no_types():
    """Return what is no type of goals, by name."""
    return {
        "a name": "Tranform6D",
        "a code": 3,
        "none": None,
        "a number": 1.5,
        "an object": object(),
        "a list": ["Transform6D"],
    }


def refuses(call, word, wrong):
    """Check that each wrong value ends in an error of pyrave that names the argument.

    Parameters
    ----------
    word
        What the argument is called.
    wrong
        Values by name.
    """
    for name, value in wrong.items():
        with pytest.raises(pyrave.ArgumentError) as caught:
            call(value)
        assert word in str(caught.value), (name, str(caught.value))
