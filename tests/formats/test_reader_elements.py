"""Elements that custom readers get cannot be changed: it would be lost."""

import copy

import pytest
from lxml import etree

import pyrave

BODY = "<kinbody name='b'><body name='base'/><Note X='1'>t<C/></Note></kinbody>"


def seen(look):
    """Return what a reader sees of the element, and the problems of the load."""
    answers = []

    def read(element, context):
        answers.append(look(element))
        return pyrave.XmlReadable(context.as_written(element))

    env = pyrave.Environment()
    env.registry.register_xml_reader("kinbody", "note", read)
    report = env.load_string(BODY)
    readable = env.bodies["b"].readables["note"]
    return answers, report.problems, readable.element


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.set("x", "2"),
        lambda e: e[0].set("x", "2"),
        lambda e: e.append(e[0]),
        lambda e: e.remove(e[0]),
        lambda e: e.clear(),
        lambda e: setattr(e, "text", "other"),
        lambda e: setattr(e, "tag", "other"),
        lambda e: setattr(e[0], "tail", "other"),
        lambda e: e.__setitem__(0, e),
        lambda e: e.__delitem__(0),
        lambda e: e.extend([e]),
        lambda e: e.insert(0, e),
        lambda e: e.find("c").addnext(e),
    ],
)
def test_a_change_raises(change):
    answers, (problem,), written = seen(change)
    assert answers == []
    assert problem.code == "reader-failed"
    assert "TypeError: this element is read-only" in problem.message
    assert "test_reader_elements.py" in problem.traceback
    assert written.attributes == (("X", "1"),)


def test_attributes_cannot_be_changed_either():
    _, (problem,), _ = seen(lambda e: e.attrib.update(x="2"))
    assert "mappingproxy" in problem.message


def test_it_is_read_like_any_element():
    def look(element):
        child = element.find("c")
        return (
            element.tag,
            element.text,
            element.get("x"),
            dict(element.attrib),
            child.getparent() is element,
            element.getparent(),
            element.xpath("count(*)"),
            etree.tostring(element),
        )

    (found,), problems, _ = seen(look)
    text = b'<note x="1">t<c/></note>'
    assert found == ("note", "t", "1", {"x": "1"}, True, None, 1.0, text)
    assert problems == ()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_can_be_changed(copied):
    def look(element):
        made = copied(element)
        made.set("x", "2")
        made[0].text = "new"
        return etree.tostring(made), element.get("x")

    (found,), problems, _ = seen(look)
    assert found == (b'<note x="2">t<c>new</c></note>', "1")
    assert problems == ()
