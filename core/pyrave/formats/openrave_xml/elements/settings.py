"""Settings of interfaces that stand in elements and attributes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError
from pyrave.formats.xml import local_name
from pyrave.interfaces.settings.texts import spelled
from pyrave.interfaces.settings.words import join_words
from pyrave.interfaces.types import INTERFACE_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.interfaces.settings.declarations import Setting


def words_of_attributes(
    element: Any, scope: Any, kind: str, interface: str, known: Mapping[str, Any]
) -> list[str]:
    """Return the words ``name=value`` of attributes that are settings of an interface.

    Parameters
    ----------
    known
        Attributes that the format itself has.
    """
    words = []
    for key, text in element.items():
        if key.lower() not in known:
            word = setting_word(element, scope, kind, interface, key, text)
            words += [word] if word else []
    return words


def word_of_element(element: Any, scope: Any, kind: str, interface: str) -> str | None:
    """Return the word ``name=value`` of an element that is a setting; None: it is none.

    The word is empty if the element says no value of the setting, which is reported.
    """
    if len(element) or len(element.attrib):
        return None
    name, text = local_name(element), element.text or ""
    return setting_word(element, scope, kind, interface, name, text)


def setting_word(
    element: Any, scope: Any, kind: str, interface: str, tag: str, text: str
) -> str | None:
    """Return the word of a tag and its text; as `word_of_element`."""
    known = declared(scope, kind, interface)
    name = spelled(known, tag)
    if name is None:
        return None
    owner = interface.split(maxsplit=1)[0]
    try:
        value = known[name].from_text(f"{name} of {owner}", text.strip())
        word = f"{name}={known[name].to_text(value)}"
    except ArgumentError as error:
        scope.warn(element, "invalid-setting", f"{error}; it is ignored")
        return ""
    return join_words((word,))


def is_setting(scope: Any, element: Any, kind: str, interface: str, name: str) -> bool:
    """Return True if an attribute is a setting of an interface."""
    if kind not in INTERFACE_TYPES or kind in {"kinbody", "robot"}:
        return False
    own = (value for key, value in element.items() if key.lower() == "type")
    return spelled(declared(scope, kind, interface or next(own, "")), name) is not None


def declared(scope: Any, kind: str, interface: str) -> Mapping[str, Setting]:
    """Return the settings that the class of ``"Id args"`` declares."""
    find, words = scope.load.context.interface_settings, interface.split()
    return {} if find is None or not words else find(kind, words[0])
