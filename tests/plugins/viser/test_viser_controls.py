"""Panels of scripts and of other plugins, by what the viewer's server has."""

import textwrap
import time
import types

import numpy as np
import pytest
from moved_clock import MovedClock
from opened_viewers import act

import pyrave

pytest.importorskip("viser", reason="the extra viewer is not installed")


def event(target=None):
    return types.SimpleNamespace(client=object(), target=target)


def widgets(viewer):
    """All widgets with labels, and folders, by label."""
    gui = viewer.session.server.gui
    known = [*gui._gui_input_handle_from_uuid.values()]
    known += gui._container_handle_from_uuid.values()
    return {getattr(one, "label", None): one for one in known}


def use(viewer, label, value=None):
    """Do what people do with a widget."""
    made = widgets(viewer)[label]
    if value is not None:
        made.value = value
    for callback in made._impl.update_cb:
        callback(event(made))
    act(viewer)


def test_controls_of_scripts(viewer):
    heard = []
    button = viewer.add_button("Go", lambda: heard.append("go"))
    slider = viewer.add_slider("speed", heard.append, lower=1.0, upper=3.0, value=2.0)
    key = viewer.on_key("g", lambda: heard.append("key"))
    text = viewer.add_text("**Hello**")
    gui = viewer.session.server.gui._gui_input_handle_from_uuid
    made = {one.label: one for one in gui.values() if one.label in {"Go", "speed"}}
    assert made["speed"].value == 2.0
    for callback in made["Go"]._impl.update_cb:
        callback(event(made["Go"]))
    act(viewer)
    made["speed"].value = 2.5
    for callback in made["speed"]._impl.update_cb:
        callback(event(made["speed"]))
    act(viewer)
    assert heard == ["go", 2.5]
    for one in (button, slider, key, text):
        one.close()
    assert not [one for one in gui.values() if one.label in {"Go", "speed"}]


def test_a_callback_that_raises_is_reported(env, viewer):
    def broken():
        raise ValueError("no such thing")

    handle = viewer.add_button("Break", broken)
    gui = viewer.session.server.gui._gui_input_handle_from_uuid
    (made,) = [one for one in gui.values() if one.label == "Break"]
    made._impl.update_cb[0](event(made))
    act(viewer)
    assert any("no such thing" in one.message for one in env.problems)
    handle.close()


def test_wrong_controls(viewer):
    with pytest.raises(pyrave.ArgumentError, match="label is ''"):
        viewer.add_button("", print)
    with pytest.raises(pyrave.ArgumentError, match="cannot be called"):
        viewer.add_button("a", 5)
    with pytest.raises(pyrave.ArgumentError, match="has no room"):
        viewer.add_slider("a", print, lower=1, upper=1)
    with pytest.raises(pyrave.ArgumentError, match="expected a letter"):
        viewer.on_key("escape", print)


def test_switches_and_lists(viewer):
    heard = []
    switch = viewer.add_checkbox("Lamp", heard.append, value=True)
    choice = viewer.add_choice("Gripper", heard.append, ("open", "closed"))
    assert (switch.value, choice.value) == (True, "open")
    use(viewer, "Lamp", False)
    use(viewer, "Gripper", "closed")
    assert heard == [False, "closed"]
    assert (switch.value, choice.value) == (False, "closed")
    switch.value, choice.value = True, "open"
    act(viewer)
    assert widgets(viewer)["Lamp"].value
    assert heard == [False, "closed"], "to set a value calls nobody"
    with pytest.raises(pyrave.ArgumentError, match="did you mean 'closed'"):
        choice.value = "close"


def test_values_of_controls(viewer):
    slider = viewer.add_slider("Speed", print, upper=2.0, value=0.5)
    text = viewer.add_text("so far nothing")
    slider.value, text.value = 1.5, "*much*"
    assert (slider.value, text.value) == (1.5, "*much*")
    with pytest.raises(pyrave.ArgumentError, match="value is 3"):
        slider.value = 3
    with pytest.raises(pyrave.ArgumentError, match="value is ''"):
        text.value = ""
    slider.close()
    slider.value = 1.0


def test_panels_have_titles_and_leave_with_their_last_control(viewer):
    first = viewer.add_button("One", print, panel="Acme")
    second = viewer.add_text("two", panel="Acme")
    other = viewer.add_checkbox("Three", print)
    assert {"Acme", "Application"} <= widgets(viewer).keys()
    first.close()
    assert "Acme" in widgets(viewer)
    second.close()
    other.close()
    assert not {"Acme", "Application"} & widgets(viewer).keys()
    viewer.add_button("Again", print, panel="Acme")
    assert "Acme" in widgets(viewer)


def test_wrong_lists(viewer):
    with pytest.raises(pyrave.ArgumentError, match="expected some texts"):
        viewer.add_choice("a", print, "texts")
    with pytest.raises(pyrave.ArgumentError, match="expected some texts"):
        viewer.add_choice("a", print, [1])
    with pytest.raises(
        pyrave.ArgumentError, match="value is 'c', expected one of a, b"
    ):
        viewer.add_choice("a", print, ["a", "b"], value="c")
    with pytest.raises(pyrave.ArgumentError, match="panel is 5"):
        viewer.add_text("a", panel=5)
    with pytest.raises(pyrave.ArgumentError, match="change callback 5 cannot"):
        viewer.on_change(5)


def test_changes_are_told_soon_and_not_always(env, viewer, monkeypatch):
    heard = []
    handle = viewer.on_change(lambda env: heard.append(env.bodies["mug"].transform))
    clock = MovedClock()
    clock.show_to(monkeypatch, "pyrave_viser.panels.controls")

    def told():
        count = len(heard)
        clock.now += 0.2
        act(viewer)
        act(viewer)
        return len(heard) > count

    told()
    told()
    mug = env.bodies["mug"]
    for k in range(20):
        mug.transform = pyrave.spatial.pose_from_rpy((0, 0, 0), (0, 0, k))
        clock.now += 0.03
        act(viewer)
    assert told()
    assert np.array_equal(heard[-1], mug.transform)
    assert 5 <= len(heard) < 12
    assert not told()
    handle.close()
    mug.transform = np.eye(4)
    assert not told()


def test_a_plugin_has_a_panel_and_its_mistakes_are_its_own(env, tmp_path):
    path = tmp_path / "wobble.py"
    path.write_text(
        textwrap.dedent(
            """
            import pyrave


            @pyrave.hookimpl
            def pyrave_viewer_opened(viewer):
                env = viewer.env
                text = viewer.add_text("nothing yet", panel="Wobble")

                def wobble():
                    env.robots[0].set_joints({"joint1": 0.25})

                def said(env):
                    text.value = f"{env.robots[0].dof_values[0]:.2f}"

                viewer.add_button("Go", wobble, panel="Wobble")
                viewer.add_checkbox("Fail", lambda on: 1 / 0, panel="Wobble")
                viewer.on_change(said)
            """
        )
    )
    env.registry.load_path(path, allow=True)
    viewer = env.show(browser=False)
    try:
        folder = widgets(viewer)["Wobble"]
        use(viewer, "Go")
        assert env.robots[0].dof_values[0] == 0.25
        said = [one for one in folder._children.values() if hasattr(one, "content")]
        until = time.monotonic() + 120
        while said[0].content != "0.25" and time.monotonic() < until:
            act(viewer)
        assert said[0].content == "0.25"
        use(viewer, "Fail", True)
        assert any("division by zero" in one.message for one in env.problems)
    finally:
        viewer.close()
        env.registry.block("wobble")
