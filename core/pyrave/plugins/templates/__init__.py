"""Templates of generated plugin packages, one module per interface type."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.plugins.templates.base import TypeTemplate


def template_of(interface_type: str) -> TypeTemplate:
    """Return the template of an interface type."""
    module = importlib.import_module(f"{__name__}.{interface_type}")
    template: TypeTemplate = module.TEMPLATE
    return template
