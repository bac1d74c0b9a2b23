"""What all tests share: where kernels compile, what the garbage collector sees."""

import gc
import os

import pytest

# Other processes compile for users, who wait for one answer. Tests ask for thousands on
# the same cores: there, interpreting meanwhile takes longer.
os.environ.setdefault("PYRAVE_COMPILE", "foreground")


@pytest.fixture(autouse=True, scope="module")
def _collecting_is_quick():
    """Keep what tests and libraries are made of, millions of objects, from `gc`.

    Else each of the tests that ask what is left of an object takes half a second.
    """
    gc.collect()
    gc.freeze()
