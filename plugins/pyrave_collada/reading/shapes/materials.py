"""Colours of effects, bound to the symbols of geometries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.scene import Material
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene.pose import Vec3
    from pyrave_collada.reading.shapes.images import Images

_SHADINGS = ("phong", "lambert", "blinn", "constant")
_INVISIBLE = 1.0 - 1e-9


class Materials:
    """Materials of a load, each read once.

    Parameters
    ----------
    target
        ``(element, attribute) -> element`` that a URL leads to, or None.
    note
        Told of what is passed over.
    images
        What effects lay on surfaces; None where that has no place.
    """

    def __init__(
        self,
        target: Callable[[Any, str], Any],
        note: Callable[[str, Any], None],
        images: Images | None = None,
    ) -> None:
        self._target = target
        self._note = note
        self._images = images
        self._known: dict[Any, Material] = {}

    def bound(self, instance: Any) -> dict[str, Material]:
        """Return the materials that an instance of a geometry binds to symbols."""
        found = {}
        common = instance.find("bind_material/technique_common")
        for one in () if common is None else children(common, "instance_material"):
            target = self._target(one, "target")
            if target is not None:
                found[one.get("symbol") or ""] = self.read(target)
        return found

    def read(self, element: Any) -> Material:
        """Return the look of a ``<material>``."""
        if element not in self._known:
            self._known[element] = self._read(element)
        return self._known[element]

    def _read(self, element: Any) -> Material:
        instance = child(element, "instance_effect")
        effect = None if instance is None else self._target(instance, "url")
        technique = None if effect is None else _technique(effect)
        shading = None
        if technique is not None:
            shading = next(children(technique, *_SHADINGS), None)
        if shading is None:
            return Material()
        diffuse = child(shading, "diffuse")
        return Material(
            self._colour(diffuse),
            self._colour(child(shading, "ambient")),
            self._transparency(shading),
            None if self._images is None else self._images.on(diffuse, effect),
        )

    def _colour(self, element: Any) -> Vec3 | None:
        """Return the colour of an effect's property; textures have none."""
        given = None if element is None else child(element, "color")
        if given is None:
            return None
        numbers = self._numbers(given)
        if len(numbers) < 3:
            return None
        red, green, blue = (max(n, 0.0) for n in numbers[:3])
        return red, green, blue

    def _transparency(self, shading: Any) -> float:
        """Return 0 opaque to 1 invisible.

        From <transparent> and <transparency>, without either from the alpha of diffuse,
        else of ambient. What would not be seen at all is opaque: many writers mean it.
        """
        transparent = child(shading, "transparent")
        amount = shading.find("transparency/float")
        shares = () if amount is None else self._numbers(amount)
        share = shares[0] if shares else 1.0
        given = None if transparent is None else child(transparent, "color")
        if given is None:
            value = 1.0 - (share if shares else self._alpha(shading))
        else:
            colour = (*self._numbers(given), 1.0, 1.0, 1.0, 1.0)[:4]
            if transparent.get("opaque", "A_ONE") == "RGB_ZERO":
                # luminance, COLLADA 1.4.1 release notes
                red, green, blue = colour[:3]
                value = share * (0.212671 * red + 0.715160 * green + 0.072169 * blue)
            else:
                value = 1.0 - share * colour[3]
        value = min(max(value, 0.0), 1.0)
        return 0.0 if value >= _INVISIBLE else value

    def _alpha(self, shading: Any) -> float:
        """Return the alpha of the diffuse colour, else of the ambient one, else 1."""
        for name in ("diffuse", "ambient"):
            given = shading.find(f"{name}/color")
            numbers = () if given is None else self._numbers(given)
            if len(numbers) > 3:
                return numbers[3]
        return 1.0

    def _numbers(self, element: Any) -> tuple[float, ...]:
        try:
            numbers = tuple(map(float, (element.text or "").split()))
        except ValueError:
            numbers = (float("nan"),)
        if all(abs(n) < 1e15 for n in numbers):
            return numbers
        self._note(f"<{element.tag}> holds no usable numbers", element)
        return ()


def _technique(effect: Any) -> Any:
    for profile in effect.iterchildren("*"):
        if profile.tag.lower() == "profile_common":
            return child(profile, "technique")
    return None
