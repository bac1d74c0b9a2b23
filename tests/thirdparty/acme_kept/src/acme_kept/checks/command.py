"""The command ``pyrave kept-count`` runs."""

from pyrave.cli import main


def test_it_lists_bodies(tmp_path, capsys):
    file = tmp_path / "box.env.xml"
    file.write_text(
        "<environment><kinbody name='box'><body name='b'>"
        "<geom type='box'><extents>1 1 2</extents></geom>"
        "</body></kinbody></environment>"
    )
    assert main(["kept-count", str(file)]) == 0
    assert capsys.readouterr().out == "box: 2.000 m\n"
    assert main(["kept-count", str(file), "--above", "3"]) == 0
    assert not capsys.readouterr().out
