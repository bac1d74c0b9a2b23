"""Needs a pyrave that does not exist: it is never imported."""

from __future__ import annotations

raise SystemError("acme_future must not be imported by this pyrave")
