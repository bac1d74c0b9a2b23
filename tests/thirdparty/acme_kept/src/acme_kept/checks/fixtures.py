"""Fixtures that the checks share."""

from pathlib import Path

import pytest

import pyrave

SCENE = Path(__file__).parents[1] / "scenes" / "acme_kept.env.xml"


@pytest.fixture
def scene():
    """Return an environment with the package's scene; any warning is a failure."""
    return pyrave.load(SCENE, strict=True)
