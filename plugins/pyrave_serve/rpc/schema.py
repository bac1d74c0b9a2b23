"""Description of the server as an OpenRPC document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyrave_serve.methods.method import Method, MethodParameter

DISCOVER = "rpc.discover"
_OPENRPC = "1.3.2"
VERSION = "1.0.0"
"""Version of the methods: the first number grows when one changes or goes."""


def document(methods: Mapping[str, Method]) -> dict[str, Any]:
    """Return a description of methods for programs."""
    return {
        "openrpc": _OPENRPC,
        "info": {"title": "pyrave serve", "version": VERSION},
        "methods": [_method(one) for one in methods.values()],
    }


def _method(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "summary": method.summary,
        "paramStructure": "either",
        "params": [_parameter(one) for one in method.parameters],
        "result": {
            "name": "result",
            "description": method.returns or "null",
            "schema": {} if method.returns else {"type": "null"},
        },
    }


def _parameter(parameter: MethodParameter) -> dict[str, Any]:
    schema = dict(parameter.kind.schema)
    if not parameter.required:
        schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "description": parameter.about,
        "required": parameter.required,
        "schema": schema,
    }
