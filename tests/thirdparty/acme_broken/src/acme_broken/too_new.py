"""A module for a pyrave that does not exist yet."""

from __future__ import annotations

from pyrave import ModuleBase


class TooNew(ModuleBase):
    """Written for a contract of the future."""

    contract = 99
