"""Directives that print what the code knows, so that the reference cannot drift away.

``{xml-element} joint`` prints the attributes and child tags of an element of OpenRAVE
XML, ``{command} info`` the help of a command of the ``pyrave`` program, and
``{author-methods}`` what an author of each interface type must and may write.
``{vocabulary} pyrave_urdf.vocabulary link`` prints what elements that stand in another
become, and where they act.
``{part-settings} physicsengine mujoco`` prints the settings of an id.
``{sensor-settings} imu.IMUGeometry`` prints the settings of a sensor; with ``:beyond:``
without those of another class.
``{openrave-names} KinBody`` prints what OpenRAVE's names of a class are here.
``{openravepy-api}`` prints what becomes of each name of OpenRAVE's Python API.
``{openravepy-examples}`` prints the examples that have OpenRAVE's names.
"""

from __future__ import annotations

import functools
import importlib
import re
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from pyrave.formats.openrave_xml.schema import ELEMENTS, Tag
from pyrave.formats.vocabulary import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sphinx.application import Sphinx


class XmlElementTables(SphinxDirective):
    """Print what an element of OpenRAVE XML may hold."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        schema = ELEMENTS.get(self.arguments[0])
        if schema is None:
            raise self.error(f"the XML reader knows no element {self.arguments[0]!r}")
        found: list[nodes.Node] = []
        if schema.attributes:
            found.append(_table("attribute", schema.attributes.items()))
        if schema.tags:
            found.append(
                _table("child tag", ((f"<{t}>", tag) for t, tag in schema.tags.items()))
            )
        return found


class VocabularyTable(SphinxDirective):
    """Print what elements of a format become, and where they act."""

    required_arguments = 2
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        module, owner = self.arguments
        elements = importlib.import_module(module).ELEMENTS
        if owner not in elements:
            raise self.error(f"{module} knows no {owner!r}, but {', '.join(elements)}")
        rows = []
        for tag, meaning in elements[owner].items():
            parsed, _ = self.state.inline_text(meaning.becomes, self.lineno)
            becomes = nodes.inline("", "", *parsed)
            rows.append([nodes.literal(text=tag), meaning.shown, becomes])
        return [_plain_table(["element", "acts on", "becomes"], rows)]


class CommandHelp(SphinxDirective):
    """Print the usage and the options of a command."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        texts = _command_texts()
        name = self.arguments[0]
        if name not in texts:
            raise self.error(f"pyrave has no command {name!r}; it has {sorted(texts)}")
        node = nodes.container()
        lines = StringList(texts[name].splitlines(), "pyrave --help")
        self.state.nested_parse(lines, self.content_offset, node)
        return node.children


@functools.cache
def _command_texts() -> dict[str, str]:
    """Return the help of each command as Markdown."""
    from pyrave.cli.app import make_app
    from pyrave.plugins import default_registry

    app = make_app()
    for name, function in default_registry().cli_commands():
        load = getattr(function, "load", None)  # what is imported when it is called
        app.command(load() if load else function, name=name)
    text = app.generate_docs(output_format="markdown")
    found = {}
    for part in re.split(r"^## pyrave ", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        body = re.sub(r"^\*\*Session\*\*:\n\n(\*.*\n?)+", "", body, flags=re.MULTILINE)
        # cyclopts adds how the program that builds the site was started
        body = re.sub(r" -m \S+", "", body, count=1)
        # and the name of a command that has commands twice
        body = body.replace(f"pyrave {name} {name} ", f"pyrave {name} ", 1)
        # the usage is no example, and "console" highlighting wants a prompt
        found[name.strip()] = body.replace("```console", "```text").strip()
    return found


def _table(head: str, rows: Iterable[tuple[str, Any]]) -> nodes.table:
    body = [
        (
            nodes.literal(text=name),
            item.content,
            item.default,
            item.doc,
            ", ".join(item.acts) or NOWHERE if isinstance(item, Tag) else "",
        )
        for name, item in rows
    ]
    columns = (head, "content", "default", "meaning", "acts on")
    used = [i for i in range(5) if i == 0 or any(row[i] for row in body)]
    picked = [[row[i] for i in used] for row in body]
    return _plain_table([columns[i] for i in used], picked)


class AuthorMethods(SphinxDirective):
    """Print the abstract and the optional methods of each interface type."""

    def run(self) -> list[nodes.Node]:
        from pyrave.interfaces import INTERFACE_TYPES
        from pyrave.plugins.contracts import interface_base

        rows = []
        for kind in sorted(INTERFACE_TYPES):
            base = interface_base(kind)
            names = ", ".join(
                name for name in vars(base) if name in base.__abstractmethods__
            )
            rows.append([nodes.literal(text=kind), names or "none"])
        return [_plain_table(["type", "abstract methods"], rows)]


class PartSettings(SphinxDirective):
    """Print the settings of an interface: name, type, default, range and meaning."""

    required_arguments = 2
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        from pyrave.plugins import default_registry

        kind, name = self.arguments
        rows = []
        for one in default_registry().declared_settings(kind, name).values():
            known = one.to_dict()
            parsed, _ = self.state.inline_text(known["help"], self.lineno)
            expected = " ".join(
                filter(None, (known["type"], known["range"], known["unit"]))
            )
            meaning = nodes.inline("", "", *parsed)
            default = known["default_text"]
            rows.append([nodes.literal(text=known["name"]), expected, default, meaning])
        if not rows:
            raise self.error(f"{kind} {name} declares no settings")
        return [_plain_table(["setting", "value", "default", "meaning"], rows)]


class SensorSettings(SphinxDirective):
    """Print tags, defaults and meaning of the settings of a sensor."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"beyond": str}

    def run(self) -> list[nodes.Node]:
        kind, base = self.arguments[0], self.options.get("beyond")
        rows = []
        for tags, default, meaning in settings_rows(kind, base):
            cells = nodes.inline()
            for i, tag in enumerate(tags):
                cells += [nodes.Text(", ")] * bool(i) + [nodes.literal(text=tag)]
            parsed, _ = self.state.inline_text(meaning, self.lineno)
            rows.append([cells, default, nodes.inline("", "", *parsed)])
        return [_plain_table(["tag", "default", "meaning"], rows)]


class OpenraveNames(SphinxDirective):
    """Print what OpenRAVE's names of a class are here."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        from pyrave.openrave_names import table

        owner = self.arguments[0]
        if owner not in table():
            raise self.error(f"the table has no {owner!r}, but {', '.join(table())}")
        rows = [[self._cell(text) for text in row] for row in table()[owner]]
        return [_plain_table(["OpenRAVE", "pyrave", "remark"], rows)]

    def _cell(self, text: str) -> nodes.Node:
        parsed, _ = self.state.inline_text(text, self.lineno)
        return nodes.inline("", "", *parsed)


class OpenravepyApi(SphinxDirective):
    """Print what becomes of each name of OpenRAVE's Python API."""

    def run(self) -> list[nodes.Node]:
        from pyrave_openravepy.names import all_sections, native_names

        shown: list[nodes.Node] = []
        for path, section in all_sections().items():
            rows = []
            for one in section.names:
                call = nodes.literal(text=f"{one.name}{one.arguments}")
                ours = native_names(path, one.name)
                rows.append([call, self._cell(one.refusal or one.remark or ours)])
            if rows:
                shown.append(nodes.rubric(text=path))
                shown.append(_plain_table(["openravepy", "pyrave"], rows))
        return shown

    def _cell(self, text: str) -> nodes.Node:
        parsed, _ = self.state.inline_text(text, self.lineno)
        return nodes.inline("", "", *parsed)


class OpenravepyExamples(SphinxDirective):
    """Print what each example that has OpenRAVE's name shows."""

    def run(self) -> list[nodes.Node]:
        from pyrave_openravepy.api.examples import texts

        shown = sorted(texts().items())
        rows = [[nodes.literal(text=name), nodes.Text(text)] for name, text in shown]
        return [_plain_table(["example", "shows"], rows)]


def settings_rows(
    kind: str, beyond: str | None = None
) -> list[tuple[list[str], str, str]]:
    """Return (tags, default, meaning) of the settings of a sensor.

    Parameters
    ----------
    kind, beyond
        ``module.Class`` in pyrave_sensors.
    """
    from pyrave_sensors.settings.fields import schema_of
    from pyrave_sensors.settings.xml import written

    def schema(place: str) -> dict[str, Any]:
        module, _, name = place.rpartition(".")
        found = importlib.import_module(f"pyrave_sensors.{module}")
        return dict(schema_of(getattr(found, name)).settings)

    known = schema(beyond) if beyond else {}
    rows = []
    for name, one in schema(kind).items():
        if known.get(name) == one:
            continue
        attribute = f" {one.attribute}" if one.attribute else ""
        tags = [f"<{tag}{attribute}>" for tag in dict.fromkeys(one.tags)]
        default = one.shown
        if default is None:
            default = re.sub(r"\.0\b", "", written(one.encode(one.default)))
        unit = f" ({one.unit})" if one.unit else ""
        rows.append((tags, default, one.doc + unit))
    return rows


def _plain_table(head: Sequence[Any], rows: Sequence[Sequence[Any]]) -> nodes.table:
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=20) for _ in head]
    header, content = nodes.thead(), nodes.tbody()
    header += _row(head)
    content += [_row(row) for row in rows]
    group += [header, content]
    return nodes.table("", group, classes=["colwidths-auto"])


def _row(cells: Sequence[Any]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        inner = cell if isinstance(cell, nodes.Node) else nodes.Text(cell)
        paragraph = nodes.paragraph()
        paragraph += inner
        row += nodes.entry("", paragraph)
    return row


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("xml-element", XmlElementTables)
    app.add_directive("vocabulary", VocabularyTable)
    app.add_directive("command", CommandHelp)
    app.add_directive("author-methods", AuthorMethods)
    app.add_directive("part-settings", PartSettings)
    app.add_directive("sensor-settings", SensorSettings)
    app.add_directive("openrave-names", OpenraveNames)
    app.add_directive("openravepy-api", OpenravepyApi)
    app.add_directive("openravepy-examples", OpenravepyExamples)
    return {"version": "1", "parallel_read_safe": True}
