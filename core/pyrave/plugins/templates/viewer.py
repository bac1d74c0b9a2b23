"""Template of a viewer: shows the scene as text."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(ViewerBase):
    """Shows name and position of every body as lines of text.

    `main` prints what changed ten times a second; with ``show=False`` it looks once.
    """

    contract = 2

    @override@ __init__
        super().__init__(env, *args)
        self._quit = threading.Event()
        self.lines: dict[str, str] = {}

    @override@ main
        shown: list[str] = []
        while True:
            self.environment_sync()
            if not show:
                return 0
            lines = list(self.lines.values())
            if lines != shown:
                sys.stdout.write("\\n".join(lines) + "\\n")
                shown = lines
            if self._quit.wait(0.1):
                self._quit.clear()
                return 0

    @override@ quit_main_loop
        self._quit.set()

    @override@ environment_sync
        with self.env.lock():
            self.lines = {
                body.name: "{:<20} {:8.3f} {:8.3f} {:8.3f}".format(
                    body.name, *body.transform[:3, 3]
                )
                for body in self.env.bodies
            }

    @override@ body_removed
        self.lines.pop(body.name, None)
'''

_TEST = """
def test_it_shows_every_body_until_it_is_ended(scene, capsys):
    viewer = scene.create("viewer", "@id@")
    assert viewer.main(show=False) == 0
    assert set(viewer.lines) == {body.name for body in scene.bodies}
    timer = threading.Timer(0.05, viewer.quit_main_loop)
    timer.start()
    assert viewer.main() == 0
    timer.join()
    assert "ball" in capsys.readouterr().out
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <viewer type="@id@"/>\n')
