"""Plugins: hooks, discovery, states and the registry of interfaces.

Which module owns what, from metadata to objects:

``discovery``
    What is installed, as metadata, and whether it fits this version of pyrave.
``records``, ``slots``
    What is known of one plugin (immutable), and the place where that changes.
``plugin_table``
    All slots of the process: importing, blocking, taking out of use what fails.
``hookspecs``, ``hooks``, ``contributions``
    The hooks that there are, who implements them, and whether answers make sense.
``declared_contributions``
    Readers, formats and commands in metadata, imported when they are used.
``contracts``, ``creation``
    What a class must be, and making an object of it.
``script_registrations``, ``registry``
    What scripts register, and the one face of all this.
``plugin_search``, ``path_plugins``
    The plugins that a name means, as in a ``<plugin>`` tag; code run from a path.
``generator``, ``templates``
    ``pyrave new-plugin``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports
from pyrave.plugins.creation import Provider
from pyrave.plugins.discovery import discover
from pyrave.plugins.plugin_search import PluginSearch
from pyrave.plugins.records import (
    Conflict,
    DistributionReport,
    Failure,
    PluginKind,
    PluginRecord,
    PluginReport,
    PluginState,
)
from pyrave.plugins.registry import Registry, default_registry
from pyrave.plugins.script_registrations import Registration

if TYPE_CHECKING:
    from pyrave.plugins.hookspecs import hookimpl, hookspec

__all__ = [
    "Conflict",
    "DistributionReport",
    "Failure",
    "PluginKind",
    "PluginRecord",
    "PluginReport",
    "PluginSearch",
    "PluginState",
    "Provider",
    "Registration",
    "Registry",
    "default_registry",
    "discover",
    "hookimpl",
    "hookspec",
]

# pyrave imports pluggy only when a hook is written or loaded
__getattr__, __dir__ = exports(__name__, {"hookspecs": "hookimpl hookspec"})
