"""The library MuJoCo, imported when the first engine is made."""

from __future__ import annotations

import functools
import importlib
import logging
from types import ModuleType

from pyrave.errors import NotSupportedError

_log = logging.getLogger("pyrave.physics")


@functools.cache
def mujoco() -> ModuleType:
    """Return the library; its warnings go to the logger ``pyrave.physics``.

    Raises
    ------
    NotSupportedError
        It is not installed, or cannot be imported.
    """
    try:
        library = importlib.import_module("mujoco")
    except ImportError as error:
        raise NotSupportedError(
            "the physics engine 'mujoco' needs the library MuJoCo 3.14 to 4, which "
            f"cannot be imported ({error}); pip install 'pyrave[physics]'"
        ) from error
    # by itself it writes them to a file in the working directory
    if library.get_mju_user_warning() is None:
        library.set_mju_user_warning(_log.warning)
    return library
