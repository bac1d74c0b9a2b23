"""Characters to elements: what RobWork's two parsers accept, with locations."""

from pyrave_workcell.syntax.lexer import DYNAMIC, PLAIN, WORKCELL, Dialect, parse
from pyrave_workcell.syntax.nodes import Node, Text

__all__ = ["DYNAMIC", "PLAIN", "WORKCELL", "Dialect", "Node", "Text", "parse"]
