"""Characters to elements: what RobWork's two parsers accept, with locations."""

from pyrave_workcell.syntax.lexer import DYNAMIC, PLAIN, WORKCELL, Dialect, parse
from pyrave_workcell.syntax.nodes import CellNode, Text

__all__ = ["DYNAMIC", "PLAIN", "WORKCELL", "CellNode", "Dialect", "Text", "parse"]
