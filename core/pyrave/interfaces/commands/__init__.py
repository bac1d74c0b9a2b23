"""Named commands of interfaces.

``table``
    What a class declares as a command, and the calls: by text, keyword and JSON.
``files``
    What commands may open for callers that are not trusted.
``words``
    Words of texts, and what they are for annotated parameters.
"""

from pyrave.interfaces.commands.files import FileAccess, file_access
from pyrave.interfaces.commands.table import (
    Command,
    CommandResult,
    CommandTable,
    command,
    commands_of,
)

__all__ = [
    "Command",
    "CommandResult",
    "CommandTable",
    "FileAccess",
    "command",
    "commands_of",
    "file_access",
]
