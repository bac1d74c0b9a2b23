"""`Interface`: what bodies, sensors, planners and all other interfaces have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyrave.scene import Readable as NativeReadable
from pyrave_openravepy.api.enums import ErrorCode, InterfaceType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import ApiObject, as_native, wrap
from pyrave_openravepy.api.readables import Readable, native_readable

__all__ = ["Interface", "ReadableInterface"]

_USER_DATA = "openravepy user data"


class ReadableInterface(ApiObject):
    """An object on which custom XML readers leave data."""

    def GetReadableInterfaces(self) -> dict[str, Any]:
        return {key: Readable(key, one) for key, one in self._readable_items()}

    def GetReadableInterface(self, xmltag: str = "") -> Any:
        wanted = str(xmltag).lower()
        found = [
            Readable(key, one)
            for key, one in self._readable_items()
            if key.lower() == wanted
        ]
        # of a tag that comes several times, the last one counts
        return found[-1] if found else None

    def SetReadableInterface(self, id: str, readable: Any) -> None:
        self._set_readable(
            str(id), None if readable is None else native_readable(readable)
        )

    def _readable_items(self) -> tuple[tuple[str, NativeReadable], ...]:
        return tuple(self._native.readables.items())

    def _set_readable(self, key: str, readable: NativeReadable | None) -> None:
        native = self._native
        if readable is not None:
            native.set_readable(key, readable)
        elif key in native.readables:
            del native.readables[key]


class Interface(ReadableInterface):
    """An interface of a plugin."""

    def GetInterfaceType(self) -> Any:
        return getattr(InterfaceType, self._native.interface_type)

    def GetXMLId(self) -> str:
        return str(self._native.interface_id)

    def GetPluginName(self) -> str:
        return str(self._native.plugin) or "__internal__"

    def GetDescription(self) -> str:
        return str(self.__dict__.get("_description", self._native.about))

    def SetDescription(self, description: str) -> None:
        self._description = str(description)

    def GetEnv(self) -> Any:
        return wrap(self._native.env)

    def Clone(self, ref: Any, cloningoptions: int = 0) -> None:
        """Become a copy of another interface of the same class."""
        native, other = self._native, as_native(ref)
        if type(native) is not type(other):
            raise openrave_exception(
                f"{native!r} cannot become a copy of {other!r}: expected an interface "
                "of its own class",
                ErrorCode.InvalidArguments,
            )
        native.set_state(other.get_state())

    # -- data of scripts -----------------------------------------------------------

    def SetUserData(self, key: Any, data: Any = ...) -> None:
        """Keep data: ``SetUserData(data)`` or ``SetUserData(key, data)``."""
        name, value = ("", key) if data is ... else (str(key), data)
        self._native.user_data.setdefault(_USER_DATA, {})[name] = value

    def RemoveUserData(self, key: str = "") -> bool:
        known = self._native.user_data.get(_USER_DATA, {})
        return known.pop(str(key), None) is not None

    def GetUserData(self, key: str = "") -> Any:
        return self._native.user_data.get(_USER_DATA, {}).get(str(key))

    # -- commands ------------------------------------------------------------------

    def SupportsCommand(self, cmd: str) -> bool:
        name = str(cmd).lower()
        return name == "help" or name in {one.lower() for one in self._native.commands}

    def SendCommand(
        self, cmd: str, releasegil: bool = False, lockenv: bool = False
    ) -> str | None:
        found = self._native.send_command(str(cmd))
        return None if found is None else str(found)

    def SupportsJSONCommand(self, cmd: str) -> bool:
        return self.SupportsCommand(cmd)

    def SendJSONCommand(
        self,
        cmd: str,
        input: Any = None,
        releasegil: bool = False,
        lockenv: bool = False,
    ) -> Any:
        given = json.loads(input) if isinstance(input, str) and input else input
        if given is not None and not isinstance(given, Mapping):
            raise openrave_exception(
                f"the input of command {cmd!r} is {given!r}, expected a dict or its "
                "JSON text",
                ErrorCode.InvalidArguments,
            )
        return self._native.send_json_command(str(cmd), given)

    # -- texts ---------------------------------------------------------------------

    def __repr__(self) -> str:
        native = self._native
        return (
            f"RaveCreateInterface({environment_text(native.env)},"
            f"InterfaceType.{native.interface_type},'{native.interface_id}')"
        )

    def __str__(self) -> str:
        return f"<{self._native.interface_type}:{self._native.interface_id}>"


def environment_text(env: Any) -> str:
    """Return the call that gives an environment, as representations of things have."""
    return f"RaveGetEnvironment({wrap(env).GetId()})"
