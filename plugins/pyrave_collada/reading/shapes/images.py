"""Images that effects lay on surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pyrave.formats import read_texture
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyrave.formats import MeshSource
    from pyrave.scene import Texture

_SAMPLERS = ("sampler2D", "sampler_2d", "sampler2d")
_FILE = "file://"
# an effect names a sampler, that a surface, and that an image
_MAX_STEPS = 4


class Images:
    """Images of a mesh file, each read once.

    Parameters
    ----------
    source
        The file; images lie next to it or below.
    by_id
        Elements of the document.
    note
        Told of what is passed over.
    """

    def __init__(
        self,
        source: MeshSource,
        by_id: Mapping[str, Any],
        note: Callable[[str, Any], None],
    ) -> None:
        self._source = source
        self._by_id = by_id
        self._note = note
        self._known: dict[Any, Texture | None] = {}

    def on(self, property_: Any, effect: Any) -> Texture | None:
        """Return the image of a property of an effect, for example of ``<diffuse>``."""
        named = None if property_ is None else child(property_, "texture")
        if named is None:
            return None
        image = self._image(named.get("texture") or "", effect)
        if image is None:
            self._note(
                f"the texture {named.get('texture')!r} is no image of this file", named
            )
            return None
        if image not in self._known:
            self._known[image] = self._read(image)
        return self._known[image]

    def _image(self, name: str, effect: Any) -> Any:
        """Return the ``<image>`` behind the name of a sampler, a surface or itself."""
        sids = {one.get("sid"): one for one in effect.iter("newparam")}
        for _ in range(_MAX_STEPS):
            param = sids.get(name)
            if param is None:
                break
            # names of images that do not hide the parameters behind them
            name = _behind(param).removeprefix("#")
        found = self._by_id.get(name)
        return found if found is not None and found.tag == "image" else None

    def _read(self, image: Any) -> Texture | None:
        given = child(image, "init_from")
        inner = None if given is None else child(given, "ref")
        text = "" if given is None else (given if inner is None else inner).text or ""
        name = unquote(text.strip()).removeprefix(_FILE)
        if not name:
            self._note("an image that is not in a file of its own is not shown", image)
            return None
        return read_texture(self._source, name, line=image.sourceline)


def _behind(param: Any) -> str:
    """Return the surface or image that a parameter names."""
    sampler = next(children(param, *_SAMPLERS), None)
    if sampler is not None:
        instance = child(sampler, "instance_image")
        if instance is not None:
            return (instance.get("url") or "").strip()
        source = child(sampler, "source")
        return "" if source is None else (source.text or "").strip()
    surface = child(param, "surface")
    given = None if surface is None else child(surface, "init_from")
    return "" if given is None else (given.text or "").strip()
