import sys

import pytest
from packaging.requirements import Requirement

from pyrave.plugins import PluginKind, PluginState, discover
from pyrave.plugins.discovery import load_target, normalize_name, unmet_requirement


def test_entry_points_are_read_with_their_distribution(site):
    site.distribution(
        "My-Laser",
        {
            "pyrave.sensor": {"MyLaser": "my_laser.sensor:MyLaser"},
            "pyrave.plugins": {"my_laser": "my_laser.hooks"},
            "console_scripts": {"x": "y:z"},
        },
        version="2.3",
        requires=["numpy", "pyrave>=0.1"],
    )
    found = {entry.name: entry for entry in discover([str(site.folder)])}
    assert set(found) == {"MyLaser", "my_laser"}
    laser = found["MyLaser"]
    assert (laser.distribution, laser.version) == ("My-Laser", "2.3")
    assert (laser.group, laser.interface_type) == ("pyrave.sensor", "sensor")
    assert laser.requires == ("numpy", "pyrave>=0.1")
    assert laser.value == "my_laser.sensor:MyLaser"
    assert found["my_laser"].interface_type == ""


def test_pyrave_comes_first_then_names_without_case(site):
    for name in ("Zebra", "alpha", "pyrave", "Beta"):
        site.distribution(name, {"pyrave.module": {f"{name}Task": "m:C"}})
    names = [entry.distribution for entry in discover([str(site.folder)])]
    assert names == ["pyrave", "alpha", "Beta", "Zebra"]


def test_a_distribution_found_twice_counts_once_as_python_sees_it(tmp_path, site):
    editable, installed = tmp_path / "editable", tmp_path / "installed"
    for folder, target in ((editable, "new:C"), (installed, "old:C")):
        site.distribution("my-task", {"pyrave.module": {"T": target}}, folder=folder)
    found = discover([str(editable), str(installed)])
    assert [entry.value for entry in found] == ["new:C"]
    # the shadowed one must not come back when the first has no plugins any more
    site.distribution("other", {"console_scripts": {"a": "b:c"}}, folder=editable)
    site.distribution("other", {"pyrave.module": {"O": "o:C"}}, folder=installed)
    assert [e.name for e in discover([str(editable), str(installed)])] == ["T"]


def test_a_sdist_style_pkg_info_is_read(site):
    info = site.folder / "old_style.egg-info"
    info.mkdir()
    info.joinpath("PKG-INFO").write_text("Name: old-style\nVersion: 3\n\nbody")
    info.joinpath("entry_points.txt").write_text("[pyrave.module]\nOld = old:Old\n")
    (entry,) = discover([str(site.folder)])
    assert (entry.distribution, entry.version, entry.name) == ("old-style", "3", "Old")


def test_damaged_metadata_of_others_stops_nothing(site, caplog):
    site.distribution("good", {"pyrave.module": {"Good": "good:Good"}})
    for name, file in (("bad", "METADATA"), ("worse", "entry_points.txt")):
        site.distribution(name, {"pyrave.module": {"Bad": "bad:Bad"}})
        (site.folder / f"{name}-1.0.dist-info" / file).write_bytes(b"\xff\xfe[x")
    assert [e.name for e in discover([str(site.folder)])] == ["Good"]
    assert len(caplog.records) == 2
    assert "cannot be read" in caplog.text


def test_a_line_that_is_no_entry_point_costs_its_own_package_only(site, caplog):
    site.distribution("good", {"pyrave.module": {"Good": "good:Good"}})
    site.distribution("bad", {"pyrave.module": {"Bad": "bad:Bad"}})
    file = site.folder / "bad-1.0.dist-info" / "entry_points.txt"
    file.write_text("[pyrave.module]\nBad\n")
    assert [e.name for e in discover([str(site.folder)])] == ["Good"]
    assert "cannot be read" in caplog.text


def test_entry_points_are_read_as_the_standard_says(site):
    """Comments, blanks around the equals sign, extras after the object."""
    site.distribution("acme", {"console_scripts": {"acme": "acme:main"}})
    file = site.folder / "acme-1.0.dist-info" / "entry_points.txt"
    file.write_text("# ours\n[pyrave.module]\n  A =a.b : C.d [x, y]\n")
    site.module("a.b", "class C:\n    d = 5\n")
    site.module("a.__init__", "")
    (entry,) = discover([str(site.folder)])
    assert (entry.name, load_target(entry)) == ("A", 5)


def test_a_value_that_names_no_object_says_what_is_expected(site):
    site.distribution("typo", {"pyrave.module": {"X": "no-such module"}})
    (entry,) = discover([str(site.folder)])
    with pytest.raises(ValueError, match=r"'package\.module:Name'"):
        load_target(entry)


def test_200_distributions_are_listed_without_importing_any(site):
    for index in range(200):
        site.distribution(
            f"dummy-{index:03d}",
            {
                "pyrave.sensor": {f"Dummy{index}": f"dummy_{index}:Dummy"},
                "pyrave.plugins": {f"dummy_{index}": f"dummy_{index}"},
            },
            sources={f"dummy_{index}": "raise RuntimeError('imported')"},
        )
    registry = site.registry()
    report = registry.report()
    assert len(report.distributions) == 200
    assert len(report.records) == 400
    assert {record.state for record in report.records} == {PluginState.DECLARED}
    assert len(registry.ids("sensor", load=False)) == 200
    assert not [name for name in sys.modules if name.startswith("dummy_")]
    assert len(report.to_dict()["distributions"]) == 200


def test_an_unknown_group_is_named_with_the_nearest(site):
    site.distribution("typo", {"pyrave.sensr": {"X": "x:X"}})
    (record,) = site.registry().records()
    assert record.state is PluginState.BROKEN
    assert (
        "no entry-point group 'pyrave.sensr', did you mean 'sensor'?" in record.reason
    )


def test_an_id_must_be_one_word(site):
    site.distribution("words", {"pyrave.sensor": {"My Laser": "x:X"}})
    (record,) = site.registry().records()
    assert record.state is PluginState.BROKEN
    assert "'My Laser' is not one word" in record.reason


def test_data_packages_give_folders_without_import(site):
    site.module("shipped_scenes/__init__", "raise RuntimeError('imported')")
    site.distribution(
        "shipped", {"pyrave.data": {"scenes": "shipped_scenes", "gone": "not_there"}}
    )
    registry = site.registry()
    assert registry.data_folders() == (site.folder / "shipped_scenes",)
    gone, scenes = sorted(registry.records(), key=lambda record: record.name)
    assert scenes.kind is PluginKind.DATA
    assert scenes.state is PluginState.LOADED
    assert gone.state is PluginState.BROKEN
    assert "no package 'not_there'" in gone.reason


def test_a_data_package_whose_parent_raises_breaks_alone(site):
    site.module("raising_parent/__init__", "raise RuntimeError('no parent today')")
    site.distribution("orphan", {"pyrave.data": {"scenes": "raising_parent.scenes"}})
    registry = site.registry()
    assert registry.data_folders() == ()
    (record,) = registry.records()
    assert record.state is PluginState.BROKEN
    assert "no parent today" in record.reason


@pytest.mark.parametrize(
    ("requirement", "version", "met"),
    [
        ("pyrave>=0.1", "0.1.0", True),
        ("pyrave>=0.2", "0.1.0", False),
        ("pyrave (>=0.2)", "0.1.9", False),
        ("pyrave<1,>=0.1", "1.0", False),
        ("pyrave~=0.1.0", "0.1.7", True),
        ("pyrave~=0.1.0", "0.2.0", False),
        ("pyrave~=0.1", "0.2", True),
        ("pyrave==0.1", "0.1.0", True),
        ("pyrave==0.1.*", "0.1.5", True),
        ("pyrave==0.1.*", "0.2", False),
        ("pyrave!=0.1.5", "0.1.5", False),
        ("pyrave!=0.1.*", "0.1.5", False),
        ("pyrave>0.1", "0.1.0", False),
        ("pyrave<=0.1", "0.1.1", False),
        ("pyrave[viewer]>=9", "0.1", False),
        ("PyRave>=9", "0.1", False),
        ("pyrave>=0.2", "0.2.dev1", False),
        ("pyrave>=0.2", "0.2.post1", True),
        ("pyrave-extras>=9", "0.1", True),
        ("pyrave", "0.1", True),
        ("pyrave>=9; extra == 'all'", "0.1", True),
        ("pyrave===9", "0.1", False),
        ("pyrave>=9; python_version > '3'", "0.1", False),
        ("pyrave>=9; python_version < '3'", "0.1", True),
        ("pyrave>=0.1a1,<0.2", "0.1b2", True),
        ("pyrave==0.1+local", "0.1", False),
        ("pyrave of some kind", "0.1", True),
        ("pyrave @ https://example.org/x", "0.1", True),
    ],
)
def test_requirements_on_pyrave(requirement, version, met):
    assert (unmet_requirement([requirement], version) is None) is met


def test_names_are_normalised_as_pip_does():
    assert normalize_name("My__Laser.Scan") == "my-laser-scan"


@pytest.mark.parametrize(
    ("line", "version", "unmet"),
    [
        ("pyrave>=0.1", "0.1.0", False),
        ("pyrave >= 0.2", "0.1.0", True),
        ("pyrave>=0.1,<1", "0.1.0", False),
        ("pyrave (>=0.1, <0.1.0)", "0.1", True),
        ("pyrave<=0.1.0.0", "0.1", False),
        ("pyrave>0.1", "0.1.0", True),
        ("Pyrave>=0.10", "0.9", True),
        ("pyrave==0.1.*", "0.1.3", False),
        ("pyrave~=0.2", "0.1.3", True),
        ("pyrave>=0.2; python_version<'3'", "0.1.0", False),
        ("pyrave>=0.1.0", "0.1.0rc1", True),
    ],
)
def test_requirements_are_judged_as_packaging_does(line, version, unmet):
    requirement = Requirement(line)
    fits = requirement.specifier.contains(version, prereleases=True)
    applies = requirement.marker is None or requirement.marker.evaluate()
    assert (applies and not fits) is unmet
    assert (unmet_requirement([line], version) is not None) is unmet
