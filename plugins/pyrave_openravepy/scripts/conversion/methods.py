"""Calls of methods that Python 3 does not have."""

from __future__ import annotations

import ast

from pyrave_openravepy.scripts.python2 import METHODS

__all__ = ["CALLED", "call_old_methods"]

CALLED = "__python2_method__"
"""Name of `python2_method` among the builtins of a script."""


def call_old_methods(tree: ast.Module) -> ast.Module:
    """Let calls such as ``names.has_key(x)`` go through `python2_method`, in place."""
    changed: ast.Module = _OldMethods().visit(tree)
    return changed


class _OldMethods(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Change calls of attributes with one of the names."""
        self.generic_visit(node)
        called = node.func
        if not (isinstance(called, ast.Attribute) and called.attr in METHODS):
            return node
        if called.attr == "sort" and not (
            node.args or any(one.arg == "cmp" for one in node.keywords)
        ):
            return node
        function = ast.copy_location(ast.Name(CALLED, ast.Load()), called)
        name = ast.copy_location(ast.Constant(called.attr), called)
        changed = ast.Call(function, [called.value, name, *node.args], node.keywords)
        return ast.copy_location(changed, node)
