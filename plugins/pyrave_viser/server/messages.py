"""Checks of browsers' messages before viser handles them.

viser sets any attribute of a control that a message names, keeps what strangers upload,
and opens a public address when asked to. Only what pages of this viewer say passes.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

SMALL = 64 * 1024
"""Bytes of a message that is no picture, at most."""

_Name = Annotated[str, Meta(max_length=4096)]
_Owner = Annotated[str, Meta(max_length=64)]
_Word = Annotated[str, Meta(max_length=64)]
_Number = Annotated[float, Meta(ge=-1e12, le=1e12)]
_Index = Annotated[int, Meta(ge=0, le=2**31)] | None
_Pixels = Annotated[int, Meta(ge=0, le=32768)]
_Pair = tuple[_Number, _Number]
_Vector = tuple[_Number, _Number, _Number]
_Quaternion = tuple[_Number, _Number, _Number, _Number]
_Value = (
    bool
    | float
    | Annotated[str, Meta(max_length=16384)]
    | Annotated[list[bool | float | _Word], Meta(max_length=64)]
)


class Refused(Exception):  # noqa: N818 - it is no error of ours
    """A message is none that a page of this viewer sends.

    Parameters
    ----------
    kind
        What is wrong, in few words that do not depend on who sent it.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class _Said(Struct, tag_field="type", forbid_unknown_fields=True):
    """A message of a browser."""


class _Camera(_Said, tag="ViewerCameraMessage"):
    wxyz: _Quaternion
    position: _Vector
    fov: Annotated[float, Meta(gt=0.0, lt=math.pi)]
    near: Annotated[float, Meta(gt=0.0, le=1e12)]
    far: Annotated[float, Meta(gt=0.0, le=1e12)]
    image_height: _Pixels
    image_width: _Pixels
    look_at: _Vector
    up_direction: _Vector


class _Updates(Struct, forbid_unknown_fields=True):
    """Update of a control: its value is all that people change."""

    value: _Value


class ControlSaid(_Said, tag="GuiUpdateMessage"):
    """Somebody used a control.

    Parameters
    ----------
    uuid
        Of the control.
    updates
        Its new value.
    """

    uuid: _Word
    updates: _Updates


class _Command(_Said, tag="CommandTriggerMessage"):
    uuid: _Word


class _Click(_Said, tag="SceneNodeClickMessage"):
    name: _Name
    instance_index: _Index
    ray_origin: _Vector
    ray_direction: _Vector
    screen_pos: _Pair
    modifier: _Word | None = None
    owner: _Owner = ""


class _Pointer(_Said, tag="ScenePointerMessage"):
    event_type: _Word
    ray_origin: _Vector | None
    ray_direction: _Vector | None
    screen_pos: Annotated[tuple[_Pair, ...], Meta(min_length=1, max_length=2)]
    modifier: _Word | None = None


class _Drag(_Said, tag="SceneNodeDragMessage"):
    phase: _Word
    name: _Name
    instance_index: _Index
    start_position: _Vector
    start_screen_pos: _Pair
    end_position: _Vector
    end_screen_pos: _Pair
    button: _Word
    modifier: _Word | None = None
    owner: _Owner = ""


class _Handle(_Said, tag="TransformControlsUpdateMessage"):
    name: _Name
    wxyz: _Quaternion
    position: _Vector
    owner: _Owner = ""


class _HandleTaken(_Said, tag="TransformControlsDragStartMessage"):
    name: _Name
    owner: _Owner = ""


class _HandleLeft(_Said, tag="TransformControlsDragEndMessage"):
    name: _Name
    owner: _Owner = ""


class _Picture(_Said, tag="GetRenderResponseMessage"):
    payload: bytes
    render_uuid: _Word


_decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(
    _Camera
    | ControlSaid
    | _Command
    | _Click
    | _Pointer
    | _Drag
    | _Handle
    | _HandleTaken
    | _HandleLeft
    | _Picture
)


def check(data: bytes | str) -> object:
    """Check a message of a browser, and return what it says.

    Raises
    ------
    Refused
        It is none that pages of this viewer send.
    """
    if isinstance(data, str):
        raise Refused("a text")
    try:
        said = _decoder.decode(data)
    except msgspec.ValidationError as error:
        raise Refused(_kind(error)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise Refused("no message") from None
    if isinstance(said, _Picture):
        return said
    if len(data) > SMALL:
        raise Refused("a message that is too long")
    if not _finite(said):
        raise Refused("a number that is none")
    for name in ("wxyz", "ray_direction", "up_direction"):
        way = getattr(said, name, None)
        if way is not None and not 0.1 < math.hypot(*way) < 10.0:
            raise Refused(f"a {name} that is no unit vector")
    return said


def _finite(value: Any) -> bool:
    match value:
        case float():
            return math.isfinite(value)
        case tuple() | list():
            return all(map(_finite, value))
        case Struct():
            return all(map(_finite, msgspec.structs.astuple(value)))
        case _:
            return True


def _kind(error: msgspec.ValidationError) -> str:
    """Return the kind of fault, without the words of the sender."""
    text = str(error)
    if text.startswith("Invalid value"):
        return "a message of a kind that pages do not send"
    if "unknown field" in text:
        return "a message with other fields"
    return "a message with other values"
