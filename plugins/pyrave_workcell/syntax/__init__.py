"""Characters to elements: what RobWork's two parsers accept, with locations."""

from pyrave_workcell.syntax.nodes import Node, Text
from pyrave_workcell.syntax.parsing import DYNAMIC, PLAIN, WORKCELL, Dialect, parse

__all__ = ["DYNAMIC", "PLAIN", "WORKCELL", "Dialect", "Node", "Text", "parse"]
