"""A class that is no interface."""

from __future__ import annotations


class NotASensor:
    """Derives from nothing."""

    contract = 1
