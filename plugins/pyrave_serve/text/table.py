"""All commands of the text protocol, and how a line becomes an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyrave.errors import CommandError, did_you_mean
from pyrave_serve.text import bodies, environment, robots, wait_command
from pyrave_serve.text.command import TextCommand
from pyrave_serve.text.wait_command import Wait
from pyrave_serve.text.words import Words

if TYPE_CHECKING:
    from pyrave_serve.call_objects import Desk

TEXT_COMMANDS: Mapping[str, TextCommand] = {
    one.name: one
    for one in sorted(
        (
            *bodies.COMMANDS,
            *robots.COMMANDS,
            *environment.COMMANDS,
            *wait_command.COMMANDS,
        ),
        key=lambda one: one.name,
    )
}
"""Commands by name, which clients may write in any case."""


def find(line: str) -> tuple[TextCommand, Words]:
    """Return the command of a line, and its words.

    Raises
    ------
    CommandError
        There is no such command.
    """
    words = Words(line)
    name = words.word("the command").lower()
    found = TEXT_COMMANDS.get(name)
    if found is None:
        raise CommandError(
            f"no command {name[:80]!r}{did_you_mean(name, TEXT_COMMANDS)}"
        )
    return found, words


def run(command: TextCommand, words: Words, desk: Desk) -> str | Wait:
    """Do a command and return its answer."""
    answer = command.function(desk, words)
    return answer if isinstance(answer, Wait) else str(answer or "")
