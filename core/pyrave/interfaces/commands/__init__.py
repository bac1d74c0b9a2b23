"""Named commands of interfaces.

``table``
    What a class declares as a command, and the calls: by text, keyword and JSON.
``words``
    Words of texts, and what they are for annotated parameters.
"""

from pyrave.interfaces.commands.table import (
    Command,
    CommandResult,
    CommandTable,
    FileAccess,
    command,
    file_access,
)

__all__ = [
    "Command",
    "CommandResult",
    "CommandTable",
    "FileAccess",
    "command",
    "file_access",
]
