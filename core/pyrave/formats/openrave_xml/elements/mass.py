"""``<mass>``: total or density of simple shapes, of the geometries, or as given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, ResourceError, SceneError
from pyrave.formats.openrave_xml.builders.item_builders import DEFAULT_INERTIAL
from pyrave.formats.openrave_xml.read.scope import lowered
from pyrave.formats.openrave_xml.schema import ELEMENTS, MASS_TAGS
from pyrave.formats.openrave_xml.transforms import ONE
from pyrave.scene import (
    GeometryDescription,
    Inertial,
    MeshData,
    MeshReference,
    TriMesh,
)
from pyrave.scene.inertia import (
    Solid,
    box_solid,
    solids_of,
    sphere_solid,
    united,
)
from pyrave.scene.pose import Matrix3, Vec3

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope

_NOTHING = 1e-15  # kg m2, a microgram at a millimetre
_TOLERANCE = 1e-6


class MassSpec:
    """Contents of a ``<mass>``; a body's starts from its kinbody's."""

    __slots__ = (
        "com",
        "density",
        "element",
        "extents",
        "inertia",
        "kind",
        "radius",
        "total",
    )

    def __init__(self, base: MassSpec | None = None) -> None:
        self.kind = "sphere"
        self.density: float = base.density if base else 1.0
        self.total: float | None = base.total if base else None
        self.radius: float = base.radius if base else 1.0
        self.extents: Sequence[float] = base.extents if base else ONE
        self.com: Vec3 | None = None
        self.inertia: Matrix3 | None = None
        self.element: Any = None


def read_mass(
    element: Any,
    scope: Scope,
    base: MassSpec | None,
    scale: Vec3,
    *,
    in_body: bool = True,
) -> MassSpec:
    """Read a ``<mass>``; without `in_body` it is a kinbody's default."""
    spec = MassSpec(base)
    spec.element = element
    kind = scope.attributes(element, "mass").get("type", "sphere").strip().lower()
    known = ELEMENTS["mass"].tags
    used: Collection[str] = MASS_TAGS.get(kind, known)
    if kind not in MASS_TAGS or (kind == "custom" and not in_body):
        kinds = [one for one in MASS_TAGS if in_body or one != "custom"]
        scope.warn(
            element,
            "unknown-mass-type",
            f"mass type {kind!r} is taken as 'sphere'; known here: {', '.join(kinds)}",
        )
        kind = "sphere"
    spec.kind = kind
    unused = []
    for child in element:
        tag = lowered(child.tag, child)
        if tag in known and tag not in used:
            unused.append(tag)
        if tag == "density":
            value = scope.single(child, spec.density)
            if value is not None:
                spec.density, spec.total = value, None
        elif tag in {"total", "mass"}:
            value = scope.single(child, 1.0 if spec.total is None else spec.total)
            if value is not None:
                spec.total = value
        elif tag == "radius":
            value = scope.number(child, spec.radius)
            if value is not None:
                spec.radius = value * (scale[0] if in_body else 1.0)
        elif tag == "extents":
            extents = scope.floats(child, 3, spec.extents)
            if extents is not None:
                spec.extents = tuple(e * s for e, s in zip(extents, scale, strict=True))
        elif tag == "com":
            com = scope.floats(child, 3, spec.com or ())
            if com is not None:
                spec.com = (com[0] * scale[0], com[1] * scale[1], com[2] * scale[2])
        elif tag == "inertia":
            known_inertia = spec.inertia or DEFAULT_INERTIAL.inertia
            spec.inertia = scope.floats(child, 9, known_inertia)  # type: ignore[assignment]
        elif tag:
            scope.unknown_tag(child, known)
    if unused:
        names = ", ".join(f"<{tag}>" for tag in unused)
        fit = next(name for name, tags in MASS_TAGS.items() if unused[-1] in tags)
        scope.warn(
            element,
            "mass-values-unused",
            f"{names} {'is' if len(unused) == 1 else 'are'} not used with mass type "
            f"{kind!r}",
            f"<{unused[-1]}> goes with type={fit!r}",
        )
    smallest, total = min(spec.extents), spec.total or 0.0
    if min(spec.density, total, spec.radius, smallest) < 0.0:
        for name, size in (
            ("density", spec.density),
            ("total", total),
            ("radius", spec.radius),
            ("extents", smallest),
        ):
            if size < 0.0:
                message = f"{name} is {size}, expected 0 or more"
                scope.error(element, "bad-mass", message)
    return spec


def compute_inertial(
    spec: MassSpec, geometries: Iterable[GeometryDescription], scope: Scope
) -> Inertial:
    """Return the mass properties that a ``<mass>`` means for a link's geometries."""
    if spec.kind == "custom":
        given = spec.inertia or DEFAULT_INERTIAL.inertia
        mass = 1.0 if spec.total is None else spec.total
        result = Inertial(mass, spec.com or (0.0, 0.0, 0.0), _symmetric(given))
        if _is_symmetric(given):
            _check(result, spec, scope)
        else:
            message = "the inertia matrix is not symmetric; its upper triangle is taken"
            scope.warn(spec.element, "bad-inertia", message)
        return result
    if spec.kind == "mimicgeom":
        return _of_geometries(spec, geometries, scope)
    if spec.kind == "box":
        a, b, c = spec.extents
        solid = box_solid(a, b, c)
    else:
        solid = sphere_solid(spec.radius)
    result = _inertial(spec, solid)
    if result.mass == 0.0:
        _warn_massless(spec, scope, "write a density, total and size above 0")
    return result


def _symmetric(m: Matrix3) -> Matrix3:
    """Return the matrix that has the upper triangle of another one."""
    return (m[0], m[1], m[2], m[1], m[4], m[5], m[2], m[5], m[8])


def _is_symmetric(m: Matrix3) -> bool:
    if m[1] == m[3] and m[2] == m[6] and m[5] == m[7]:
        return True
    bound = _TOLERANCE * max(map(abs, m))
    return all(abs(m[i] - m[j]) <= bound for i, j in ((1, 3), (2, 6), (5, 7)))


def _of_geometries(
    spec: MassSpec, geometries: Iterable[GeometryDescription], scope: Scope
) -> Inertial:
    geometries = tuple(geometries)
    own = [geometry for geometry in geometries if geometry.group == "self"]
    meshes = [geometry for geometry in own if isinstance(geometry.shape, TriMesh)]
    simple = [one for one in own if not isinstance(one.shape, TriMesh)]
    solid = united([part for one in simple for part in solids_of(one)])
    skipped = ""
    if meshes and solid.volume > 0.0:
        # OpenRAVE's number, and that of files whose mesh is what other shapes stand for
        skipped = "next to other shapes it adds nothing, as in OpenRAVE"
    elif meshes:
        solid, skipped = _of_meshes(meshes, scope)
    if skipped:
        scope.warn(
            spec.element,
            "mass-without-mesh",
            f"the mass of a mesh is not counted: {skipped}",
            "give the mass with type='custom'",
        )
    if solid.volume <= 0.0:
        if spec.total is None:
            if not skipped:
                groups = {repr(one.group) for one in geometries} - {"'self'"}
                hint = "put a <geom> with a volume into the same <body>"
                if groups:
                    hint += (
                        f"; those of the group {', '.join(sorted(groups))} don't count"
                    )
                _warn_massless(spec, scope, hint)
            return Inertial(0.0, (0.0, 0.0, 0.0), (0.0,) * 9)
        if skipped:
            scaled = tuple(spec.total * value for value in Inertial().inertia)
            return Inertial(spec.total, inertia=scaled)  # type: ignore[arg-type]
        if spec.total > 0.0:
            scope.warn(
                spec.element,
                "mass-without-geometry",
                f"mass type 'mimicgeom' with a total of {spec.total:g} finds no "
                "geometry that has a volume; the mass is 0, as in OpenRAVE",
                "put the <geom> into the same <body>, or write type='custom'",
            )
        return Inertial(0.0, (0.0, 0.0, 0.0), (0.0,) * 9)
    result = _inertial(spec, solid)
    if result.mass == 0.0:
        _warn_massless(spec, scope, "write a density or a total above 0")
    return result


def _inertial(spec: MassSpec, solid: Solid) -> Inertial:
    if spec.total is None:
        return solid.with_density(spec.density)
    return solid.with_mass(spec.total)


def _of_meshes(
    geometries: Iterable[GeometryDescription], scope: Scope
) -> tuple[Solid, str]:
    """Return the solid that meshes enclose, and faults of meshes that enclose none."""
    from pyrave.geometry import Mesh
    from pyrave.geometry.winding_numbers import wound_outwards

    load_mesh = scope.load.context.load_mesh
    found: list[Solid] = []
    problem = ""
    for geometry in geometries:
        mesh = getattr(geometry.shape, "mesh", None)
        try:
            if isinstance(mesh, MeshData):
                loaded = Mesh(mesh.vertices, mesh.faces)
            elif load_mesh is not None and isinstance(mesh, MeshReference):
                loaded = load_mesh(mesh)
            else:
                problem = "nothing loads its file"
                continue
            closed = wound_outwards(loaded)
            solid = Solid(
                abs(closed.volume),
                tuple(closed.center_of_mass.tolist()),
                tuple(closed.inertia().ravel().tolist()),  # type: ignore[arg-type]
            )
        except SceneError as error:
            problem = error.first.message
            continue
        except (ArgumentError, ResourceError) as error:
            problem = str(error)
            continue
        found.append(solid.moved(geometry.pose))
    return united(found), problem


def _warn_massless(spec: MassSpec, scope: Scope, hint: str) -> None:
    message = "the mass is 0.0, expected more than 0"
    scope.warn(spec.element, "bad-inertia", message, hint)


def _check(inertial: Inertial, spec: MassSpec, scope: Scope) -> None:
    """Warn about masses that no body can have."""
    m = inertial.inertia
    if inertial.mass < 0.0:
        return  # an error already
    if inertial.mass > 0.0 and _is_plausible_diagonal(m):
        return
    if inertial.mass == 0.0 and not any(m):
        return  # so links without mass are written: no slip of the pen
    size = max(map(abs, m))
    problem = ""
    if inertial.mass > 0.0 and size <= _NOTHING:
        return  # rounding errors for zero
    if inertial.mass <= 0.0:
        problem = f"the mass is {inertial.mass}, expected more than 0"
    elif not _is_positive(m, size):
        problem = "the inertia matrix is not positive"
    else:
        half = 0.5 * (m[0] + m[4] + m[8])
        covariance = tuple(half * (k in {0, 4, 8}) - value for k, value in enumerate(m))
        if not _is_positive(covariance, size):
            problem = "one principal moment of inertia exceeds the sum of the others"
    if problem:
        scope.warn(spec.element, "bad-inertia", problem)


def _is_plausible_diagonal(m: Matrix3) -> bool:
    """Return True if a matrix is diagonal and its moments fit a body; most are."""
    x, y, z = m[0], m[4], m[8]
    return (
        not (m[1] or m[2] or m[3] or m[5] or m[6] or m[7])
        and x >= 0.0
        and y >= 0.0
        and z >= 0.0
        and x + y >= z
        and y + z >= x
        and z + x >= y
    )


def _is_positive(m: Sequence[float], size: float) -> bool:
    """Return True if a symmetric 3x3 matrix has no negative eigenvalue."""
    minors = (
        *(m[0], m[4], m[8]),
        *(
            m[0] * m[4] - m[1] * m[3],
            m[0] * m[8] - m[2] * m[6],
            m[4] * m[8] - m[5] * m[7],
        ),
        m[0] * (m[4] * m[8] - m[5] * m[7])
        - m[1] * (m[3] * m[8] - m[5] * m[6])
        + m[2] * (m[3] * m[7] - m[4] * m[6]),
    )
    orders = (1, 1, 1, 2, 2, 2, 3)
    return all(
        minor >= -_TOLERANCE * size**order
        for minor, order in zip(minors, orders, strict=True)
    )
