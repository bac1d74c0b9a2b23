"""One document being read: values, problems, files, unknown and custom tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import ResourceError, SceneError, nearest
from pyrave.formats.custom_readers import run_custom_reader, tags_of_readers
from pyrave.formats.openrave_xml.elements.settings import is_setting
from pyrave.formats.openrave_xml.schema import ELEMENTS
from pyrave.formats.openrave_xml.values import (
    BadValueError,
    SlipError,
    WrongCountError,
    parse_boolean,
    parse_floats,
    scale_factors,
    single,
    singles,
    split_words,
)
from pyrave.formats.readings import Reading
from pyrave.formats.resolver import OutsideRootsError
from pyrave.formats.xml import Document, local_name, to_xml_element
from pyrave.interfaces.types import INTERFACE_TYPES
from pyrave.scene import Location, Readable, XmlElement, XmlReadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyrave.formats.context import XmlReader
    from pyrave.formats.openrave_xml.read.state import LoadState
    from pyrave.scene.pose import Vec3

KEPT_ATTRIBUTES = "attributes"
"""Key of the readable that has the attributes of an element that nothing reads."""
_CONTAINERS = frozenset({
    *("actuator", "attachedsensor", "body", "environment", "geom", "joint"),
    *("kinbody", "manipulator", "mass", "robot"),
})  # fmt: skip
_BODIES = frozenset({"kinbody", "robot"})
_KEEPING = frozenset({*INTERFACE_TYPES, "body", "environment", "geom", "joint"})

_LOWERED: dict[str, str] = {}
_MAX_LOWERED = 4096


def _put_back_type(element: Any) -> None:
    """Give a body the type that its ``<pyrave>`` keeps, if it has no other."""
    kept = element.find("pyrave[@type]")
    if kept is not None and "type" not in element.keys():  # noqa: SIM118 - lxml
        element.set("type", kept.get("type"))


def lowered(tag: object, element: Any) -> str:
    """Return a tag in lower case; ``""`` for what is not an element."""
    try:
        return _LOWERED[tag]  # type: ignore[index]
    except KeyError:
        name = local_name(element)
        if isinstance(tag, str) and tag[:1] != "{" and len(_LOWERED) < _MAX_LOWERED:
            _LOWERED[tag] = name
        return name


class Scope(Reading):
    """A document while it is read. Belongs to one load.

    `names` has the path of each file name that it wrote and that was found, `named_at`
    the places that name it, the nearest first.
    """

    def __init__(
        self,
        load: LoadState,
        document: Document,
        folder: str | None,
        named_at: tuple[str, ...] = (),
    ) -> None:
        super().__init__(load.context)
        self.load = load
        self.idle, self._near = load.idle, load.near
        self.document = document
        self.file = document.file
        self.folder = folder
        self.named_at = named_at
        self.names: dict[str, str] = {}
        self._location = Location(self.file)

    def location(self, element: Any) -> Location:
        """Return the location of an element (file and line)."""
        line = element.sourceline
        if line != self._location.line:
            self._location = Location(self.file, line)
        return self._location

    def revisit(self, element: Any, count: int) -> None:
        """Count what an element changes of what stands before it.

        A few elements may change very much; all together must not take long.

        Raises
        ------
        SceneError
            With all problems so far, if there are too many.
        """
        load = self.load
        load.revisits += count
        if load.revisits > load.limits.revisits:
            self.error(
                element,
                "too-complex",
                "the elements of the scene change others more than "
                f"{load.limits.revisits} times",
                "give colours, prefixes and sensors where they belong, not to all",
            )
            load.diagnostics.raise_if_refused()

    def check_sum(self, element: Any) -> None:
        """Refuse the scene if the files included so far are too many or too large."""
        load, limits = self.load, self.load.limits
        if load.inclusions > limits.inclusions or load.elements > limits.elements:
            self.error(
                element,
                "too-many-inclusions",
                f"included files sum up to more than {limits.elements} elements "
                f"or {limits.inclusions} files",
            )
            load.diagnostics.raise_if_refused()

    def floats(
        self,
        element: Any,
        count: int | None = None,
        defaults: Sequence[float] = (),
        *,
        infinite: bool = False,
    ) -> tuple[float, ...] | None:
        """Return the numbers in an element, or None after an error.

        Parameters
        ----------
        count
            How many are expected; None: any number. Another count is a warning, as
            OpenRAVE reads such files: it ignores surplus numbers, and where numbers
            are missing values stay what they were.
        defaults
            What those values are; zeros if there are fewer.
        infinite
            Allow infinite values (limits).
        """
        if len(element) or element.keys():
            self.leaf(element)
        try:
            return parse_floats(element.text, count, infinite=infinite)
        except SlipError as slip:
            values = slip.values
            message = f"<{local_name(element)}> {slip}"
            self._report_slip(element, message, values)
            if count is None or len(values) == count:
                return values
            problem = WrongCountError(values, str(count), element.text or "")
            return self._completed(element, problem, count, defaults)
        except WrongCountError as problem:
            return self._completed(element, problem, count or 0, defaults)
        except BadValueError as problem:
            message = f"<{local_name(element)}> {problem}"
            self.error(element, "bad-number", message, problem.hint)
            return None

    def _completed(
        self,
        element: Any,
        problem: WrongCountError,
        count: int,
        defaults: Sequence[float],
    ) -> tuple[float, ...]:
        """Report a wrong count, and return as many values as there should be."""
        missing = (*defaults, *(0.0,) * count)[len(problem.values) : count]
        taken = (*problem.values[:count], *missing)
        numbers = " ".join(f"{value:.6g}" for value in taken)
        message = f"<{local_name(element)}> {problem}; {numbers} is taken"
        self.warn(element, "bad-number", message)
        return taken

    def _report_slip(self, element: Any, message: str, values: Sequence[float]) -> None:
        taken = " ".join(f"{value:.6g}" for value in values)
        hint = "numbers are separated by blanks, have a decimal point and no unit"
        self.warn(element, "bad-number", f"{message}; {taken} is taken", hint)

    def number(self, element: Any, default: float = 0.0) -> float | None:
        """Return the one number in an element, or None after an error."""
        values = self.floats(element, 1, (default,))
        return None if values is None else values[0]

    def color(
        self, element: Any, defaults: Sequence[float]
    ) -> tuple[float, ...] | None:
        """Return three numbers in single precision, or None after an error.

        Numbers beyond 0 to 1 are a warning, and kept as in OpenRAVE.
        """
        values = self.floats(element, 3, defaults)
        if values is None:
            return None
        if min(values) < 0.0 or max(values) > 1.0:
            given = " ".join(f"{value:g}" for value in values)
            found = f"<{local_name(element)}> is {given}"
            self.warn(element, "bad-color", f"{found}, expected 0 to 1; it is kept")
        return singles(values)

    def fraction(self, element: Any, default: float = 0.0) -> float | None:
        """Return a number of 0 to 1 in single precision, or None after an error.

        Of a number beyond, which is a warning, the nearer end is taken.
        """
        values = self.floats(element, 1, (default,))
        if values is None:
            return None
        taken = min(max(values[0], 0.0), 1.0)
        if taken != values[0]:
            found = f"<{local_name(element)}> is {values[0]:g}"
            message = f"{found}, expected 0 to 1; {taken:g} is taken"
            self.warn(element, "bad-color", message)
        return single(taken)

    def single(self, element: Any, default: float) -> float | None:
        """Return the one number in single precision, or None after an error."""
        values = self.floats(element, 1, (default,))
        return None if values is None else single(values[0])

    def attribute_floats(
        self, element: Any, name: str, text: str, counts: Sequence[int]
    ) -> tuple[float, ...] | None:
        """Return the numbers of an attribute, or None after an error.

        A count that is not among `counts` is a warning.
        """
        what = f"attribute {name!r}"
        values = self._any_floats(element, what, text)
        if values is not None and len(values) not in counts:
            wanted = " or ".join(map(str, counts))
            problem = WrongCountError(values, wanted, text)
            self.warn(element, "bad-number", f"{what} {problem}")
        return values

    def factors(
        self, element: Any, what: str, text: str, *, of_mesh: bool = False
    ) -> Vec3 | None:
        """Return the scale along x y z that a text gives, or None.

        Other counts than 1 and 3 are a warning; see `scale_factors`.

        Parameters
        ----------
        what
            What the text is, for messages.
        """
        values = self._any_floats(element, what, text)
        if values is None:
            return None
        x, y, z = scale_factors(values, of_mesh=of_mesh)
        if len(values) not in {1, 3}:
            problem = WrongCountError(values, "1 or 3", text)
            message = f"{what} {problem}; {x:.6g} {y:.6g} {z:.6g} is taken"
            self.warn(element, "bad-number", message)
        return x, y, z

    def _any_floats(
        self, element: Any, what: str, text: str
    ) -> tuple[float, ...] | None:
        try:
            return parse_floats(text)
        except SlipError as slip:
            self._report_slip(element, f"{what} {slip}", slip.values)
            return slip.values
        except BadValueError as problem:
            self.error(element, "bad-number", f"{what} {problem}", problem.hint)
            return None

    def boolean(self, element: Any, name: str, text: str, *, default: bool) -> bool:
        """Return a truth value; an unknown word is reported and means `default`."""
        value, known = parse_boolean(text, default=default)
        if not known:
            self.warn(
                element,
                "bad-boolean",
                f"attribute {name}={text!r} is neither true nor false; "
                f"taken as {str(value).lower()}",
            )
        return value

    def attributes(
        self, element: Any, kind: str, interface: str = ""
    ) -> dict[str, str]:
        """Return attributes by lower-case name; unknown ones are reported.

        An interface whose id has a custom reader may have attributes of its own.
        `interface` is what an including element says, and comes before ``type``.
        """
        if kind in _CONTAINERS and (text := self.document.stray_text(element)):
            self._warn_of_text(element, text)
        if kind in _BODIES and self.document.has_own_elements:
            _put_back_type(element)
        items = element.items()
        if not items:
            return {}
        known = ELEMENTS[kind].attributes
        found: dict[str, str] = dict(items)
        if found.keys() <= known.keys():
            return found
        found.clear()
        own: bool | None = None
        for key, value in items:
            name = key.lower()
            if name in found:
                self._repeated_attribute(element, name, found[name])
            found.setdefault(name, value)
            if (
                name in known
                or name[0] == "{"
                or (kind == "joint" and name.startswith("mimic_"))
            ):
                continue
            if own is None:
                own = self._read_by_id(element, kind, interface)
            if not own and not is_setting(self, element, kind, interface, name):
                kept = kind in _KEEPING
                self.unknown_attribute(element, name, known, kept=kept)
        return found

    def repeated(self, element: Any) -> None:
        """Report a duplicate tag of which the last one is used."""
        tag = local_name(element)
        message = f"duplicate <{tag}>; using the last one"
        self.warn(element, "repeated-item", message, "delete the others")

    def _repeated_attribute(self, element: Any, name: str, taken: str) -> None:
        self.warn(
            element,
            "repeated-item",
            f"duplicate attribute {name!r} (names are case-insensitive); "
            f"using {taken!r}",
            "delete the others",
        )

    def _warn_of_text(self, element: Any, text: str) -> None:
        """Report text where only elements belong."""
        self.warn(
            element,
            "stray-text",
            f"<{local_name(element)}> has the text {text!r} between its elements; "
            "it is not read",
            "put it into the tag that it belongs to, or delete it",
        )

    def check_given(self, root: Any, kind: str, given: Mapping[str, str]) -> None:
        """Report attributes that a caller gives to a root element that has no such."""
        known = ELEMENTS[kind].attributes
        for name in given.keys() - known.keys():
            if not self._read_by_id(root, kind, given.get("type", "")):
                self.unknown_attribute(root, name, known)

    def keep_attributes(
        self,
        element: Any,
        kind: str,
        readables: list[tuple[str, Readable]],
        *,
        interface: str = "",
        tag: str = "",
    ) -> None:
        """Keep the attributes that nothing reads, as the first of some readables.

        Parameters
        ----------
        interface
            As for `attributes`.
        tag
            Tag of the element that is written for the object; `kind` if empty.
        """
        known = ELEMENTS[kind].attributes
        for key in element.keys():  # noqa: SIM118
            if key not in known or key == "args":
                break
        else:
            return  # as of nearly all
        # only modules are given what `args` says
        used = known.keys() - ({"args"} if kind != "module" else set())
        extra = {
            key: value
            for key, value in element.items()
            if key.lower() not in used
            and not (kind == "joint" and key.lower().startswith("mimic_"))
            and not is_setting(self, element, kind, interface, key)
        }
        if not extra or self._read_by_id(element, kind, interface):
            return
        for index, (key, readable) in enumerate(readables):
            if key == KEPT_ATTRIBUTES and isinstance(readable, XmlReadable):
                extra = {**dict(readable.element.attributes), **extra}
                del readables[index]
                break
        plain = XmlElement(
            tag or kind, tuple(extra.items()), location=self.location(element)
        )
        readables.insert(0, (KEPT_ATTRIBUTES, XmlReadable(plain)))

    def _read_by_id(self, element: Any, kind: str, interface: str) -> bool:
        if kind not in INTERFACE_TYPES:
            return False
        own = (value for key, value in element.items() if key.lower() == "type")
        words = (interface or next(own, "")).lower().split(maxsplit=1)
        find = self.load.readers(kind).__getitem__
        return bool(words) and tags_of_readers(element, words[0], find)[1]

    def unknown_attribute(
        self, element: Any, name: str, known: Iterable[str], *, kept: bool = False
    ) -> None:
        """Report an attribute that nothing reads, and whether a save writes it."""
        lost = "" if kept else "; it is not kept"
        self.warn(
            element,
            "unknown-attribute",
            f"unknown attribute {name!r} of <{local_name(element)}>{lost}",
            self.suggestion(name, known),
        )

    def unknown_tag(
        self, element: Any, known: Iterable[str], *, report: bool = True
    ) -> tuple[str, Readable]:
        """Report a tag that nothing reads, and return it as data."""
        tag = local_name(element)
        if report:
            parent = element.getparent()
            owner = "" if parent is None else local_name(parent)
            if owner in ELEMENTS and tag in ELEMENTS[owner].attributes:
                hint: str | None = f"write {tag}='...' into <{owner}>"
            else:
                hint = self.suggestion(tag, known, "<{}>")
            self.warn(element, "unknown-tag", f"unknown tag <{tag}>", hint)
        return tag, XmlReadable(to_xml_element(element, self.file))

    def note_idle(self, owner: str, element: Any) -> None:
        """Note a known tag in an element of a kind if it acts nowhere."""
        tag = local_name(element)
        if not ELEMENTS[owner].tags[tag].acts:
            self.idle.note(f"<{owner}>", tag, (self, element))

    def part_tag(
        self, element: Any, part: str, known: Iterable[str]
    ) -> Iterator[tuple[str, Readable]]:
        """Yield the results of a custom reader for a tag in a part of a body.

        Without a reader the tag is reported, and returned as data.
        """
        tag = local_name(element)
        reader = self.load.reader(part, tag)
        if reader is None:
            yield self.unknown_tag(element, (*known, *self.load.reader_tags(part)))
            return
        done, found = self.custom(reader, element)
        if not done:
            found = XmlReadable(to_xml_element(element, self.file))
        if found is not None:
            yield tag, found

    def text(self, element: Any) -> str:
        """Return an element's text without surrounding blanks."""
        self.leaf(element)
        return (element.text or "").strip()

    def word(self, element: Any) -> str:
        """Return the first word of an element, which is one name.

        Further words are a warning: OpenRAVE ignores them.
        """
        text = self.text(element)
        words = split_words(text)
        if len(words) < 2:
            return text
        self.warn(
            element,
            "bad-name",
            f"<{local_name(element)}> has {len(words)} words, expected 1 name; "
            f"{words[0]!r} is taken",
        )
        return words[0]

    def leaf(self, element: Any, attributes: Sequence[str] = ()) -> None:
        """Report what an element holds besides a text and these attributes."""
        for key in element.keys():  # noqa: SIM118 - lxml
            name = key.lower()
            if name not in attributes and name[0] != "{":
                self.unknown_attribute(element, name, attributes)
        if len(element):
            for child in element:
                self.unknown_tag(child, ())

    def resource(
        self, element: Any, name: str, extra: Sequence[str] = ()
    ) -> str | None:
        """Return the path of a mesh file, or None after reporting."""
        try:
            return self.resolve(name, element, extra)
        except OutsideRootsError as problem:
            self.error(element, "outside-roots", problem.message, problem.hint)
        except ResourceError as problem:
            self.warn(element, "missing-mesh", problem.message, problem.hint or None)
        except SceneError as problem:
            self.warn(element, "bad-uri", problem.first.message, problem.hint)
        return None

    def custom(
        self, reader: XmlReader, element: Any, without: Sequence[Any] = ()
    ) -> tuple[bool, Readable | None]:
        """Run a custom reader on a copy of an element, without some of its children.

        Returns
        -------
        bool
            False if it failed, which is reported.
        Readable or None
            What it made.
        """
        return run_custom_reader(reader, element, self, without=without)

    def resolve(self, uri: str, element: Any, extra: Sequence[str] = ()) -> str:
        """Return the absolute path of a file that an element names, and remember it."""
        path = super().resolve(uri, element, extra)
        self.load.found.append(path)
        self.names[uri] = path
        return path

    def check_interface(
        self, element: Any, interface_type: str, interface: str, *, report: bool = True
    ) -> bool:
        """Return True if a plugin offers an interface id, if that is known.

        With `report` it is a warning if none does.
        """
        known = self.load.known_interfaces(interface_type)
        if known is None or not interface:
            return True
        wanted = interface.split(maxsplit=1)[0]
        plain = wanted.rpartition(":")[2].lower()
        if any(plain == candidate.lower() for candidate in known):
            return True
        if report:
            near = nearest(wanted, known)
            hint = f"did you mean {near!r}? " if near else ""
            self.warn(
                element,
                "unknown-interface",
                f"no installed plugin offers {interface_type} {wanted!r}",
                f"{hint}`pyrave plugins` lists what is installed",
            )
        return False
