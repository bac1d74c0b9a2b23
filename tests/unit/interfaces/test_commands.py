"""Commands: typed parameters, text, keyword and JSON forms, help, mistakes."""

from __future__ import annotations

import enum
import gc
import time
import weakref
from typing import TYPE_CHECKING, Literal

import pytest

import pyrave
from pyrave import CommandError, ModuleBase, PluginError, StateError, command
from pyrave.interfaces import CommandResult
from pyrave.interfaces.commands.words import words_of_text

if TYPE_CHECKING:
    from nowhere import Unknown


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Commander(ModuleBase):
    contract = 1

    @command
    def greet(self, name: str, times: int = 1) -> str:
        """Greet somebody.

        As often as wanted.
        """
        return " ".join([f"hello {name}"] * times)

    @command(name="Mix")
    def mix(
        self,
        weights: list[float],
        colour: Colour = Colour.RED,
        mode: Literal["fast", "slow"] = "fast",
        loud: bool = False,
        limit: float | None = None,
    ) -> list[str]:
        """Mix colours."""
        return [f"{sum(weights):g}", colour.name, mode, str(loud), str(limit)]

    @command
    def say(self, text: str) -> str:
        return text

    @command
    def tell(self, answer: bool) -> bool:
        return answer

    @command
    def nothing(self) -> None: ...

    @command
    def typed(self, count: int, other: Unknown = None) -> Unknown:
        return count + 1

    @command
    def table(self, pair: tuple[int, ...] = ()) -> dict[str, object]:
        return {"pair": pair}

    def plain(self):
        """No command."""


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def module(env):
    return Commander(env)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("greet Ann", "hello Ann"),
        ("GREET Ann 2", "hello Ann hello Ann"),
        ("greet times 2 name Bob", "hello Bob hello Bob"),
        ("Greet NAME Bob", "hello Bob"),
        ("Mix 1 2 3.5", "6.5 RED fast False None"),
        (
            "mix weights 1 2 colour blue mode SLOW loud on limit 2",
            "3 BLUE slow True 2.0",
        ),
        ("mix loud 0 weights", "0 RED fast False None"),
        ("say several words in a row", "several words in a row"),
        ("tell yes", ""),
        ("tell FALSE", None),
        ("nothing", None),
        ("typed 4", "5"),
        ("table 1 2", "{'pair': (1, 2)}"),
    ],
)
def test_texts(module, text, answer):
    assert module.send_command(text) == answer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty; try 'help'"),
        ("gret Ann", r"no command 'gret', did you mean 'greet'\?; commands: "),
        ("greet", r"name not given; expected greet\(name: str, times: int = 1\)"),
        ("greet Ann x", "parameter 'times' is 'x', expected times: int = 1"),
        ("greet Ann 1 2", "'2' is left over"),
        ("greet name Ann tmes 2", "no parameter 'tmes', did you mean 'times'"),
        ("greet name", "'name' has no value"),
        ("mix weights a", "parameter 'weights' is 'a', expected weights: list"),
        ("mix weights 1 colour green", "'colour' is 'green'"),
        ("mix weights 1 mode quick", "'mode' is 'quick'"),
        ("tell maybe", "'answer' is 'maybe'"),
        ("plain", "no command"),
    ],
)
def test_mistakes_in_texts(module, text, message):
    with pytest.raises(CommandError, match=message):
        module.send_command(text)


def test_values(module):
    assert module.command("Greet", "Ann", times=2) == "hello Ann hello Ann"
    assert module.command("greet", name="Ann") == "hello Ann"
    assert module.command("mix", [1, 2], Colour.BLUE)[1] == "BLUE"
    with pytest.raises(CommandError, match=r"unexpected keyword.*expected greet"):
        module.command("greet", "Ann", often=2)
    with pytest.raises(CommandError, match="missing"):
        module.command("greet")


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("greet", {"name": "Ann", "TIMES": 2}, {"result": "hello Ann hello Ann"}),
        ("table", {"pair": [1, 2]}, {"pair": (1, 2)}),
        ("table", None, {"pair": ()}),
        (
            "mix",
            {"weights": [1, 2.5], "colour": "blue", "loud": True, "limit": None},
            {"result": ["3.5", "BLUE", "fast", "True", "None"]},
        ),
        (
            "mix",
            {"weights": [], "limit": 3},
            {"result": ["0", "RED", "fast", "False", "3.0"]},
        ),
        ("nothing", {}, {"result": None}),
    ],
)
def test_json(module, name, arguments, answer):
    assert module.send_json_command(name, arguments) == answer


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("grt", {}, "did you mean 'greet'"),
        ("greet", {"nam": "x"}, "no parameter 'nam', did you mean 'name'"),
        ("greet", {}, "missing a required argument: 'name'"),
        ("greet", {"name": 3}, "'name' is 3, expected name: str"),
        ("greet", {"name": "x", "times": 1.5}, "'times' is 1.5"),
        ("greet", {"name": "x", "times": True}, "'times' is True"),
        ("mix", {"weights": [1], "colour": "green"}, "'colour' is 'green'"),
        ("tell", {"answer": 1}, "'answer' is 1"),
    ],
)
def test_mistakes_in_json(module, name, arguments, message):
    with pytest.raises(CommandError, match=message):
        module.send_json_command(name, arguments)


def test_help(module):
    text = module.send_command("help")
    assert text == module.send_command("help commands")
    assert "Commands of module Commander\n============================" in text
    assert "* **greet(name: str, times: int = 1)**: Greet somebody." in text
    assert "* **say(text: str)**" in text
    assert "plain" not in text
    one = module.send_command("HELP greet")
    assert "As often as wanted." in one
    with pytest.raises(CommandError, match="no command 'gret'"):
        module.send_command("help gret")


def test_commands_at_run_time(module):
    module.register_command("Late", lambda word: word * 2, "Say it twice.")
    assert module.send_command("late no") == "nono"
    assert module.commands["LATE"].help == "Say it twice."
    assert "late" in module.commands
    assert list(module.commands)[-1] == "Late"
    for name, text in (
        ("late", "exists already"),
        ("help", "reserved"),
        ("Commands", "reserved"),
        ("two words", "one word"),
        ("", "one word"),
    ):
        with pytest.raises(CommandError, match=text):
            module.register_command(name, print)


def test_annotations_that_only_a_type_checker_knows(module):
    parameters = module.commands["typed"].parameters
    assert [p.annotation for p in parameters] == [int, str]


def test_commands_keep_nobody_alive(env):
    gc.disable()
    try:
        module = Commander(env)
        found = module.commands["say"]
        module.send_command("say x")
        watched = weakref.ref(module)
        del module
        assert watched() is None
    finally:
        gc.enable()
    with pytest.raises(StateError, match="is gone"):
        found.function(text="x")


@pytest.mark.parametrize(
    "call",
    [
        lambda module: module.send_command("burst"),
        lambda module: module.send_json_command("burst"),
        lambda module: module.command("burst"),
    ],
)
def test_what_a_command_raises_names_the_command_and_the_plugin(module, call):
    def burst():
        raise ZeroDivisionError("no boom")

    module.register_command("burst", burst)
    module._plugin = "acme-task"
    with pytest.raises(PluginError) as caught:
        call(module)
    text = str(caught.value)
    assert text.startswith("command burst of <module ")
    assert "of plugin 'acme-task' raised ZeroDivisionError: no boom\n" in text
    assert text.endswith('in burst: raise ZeroDivisionError("no boom")')
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_errors_of_pyrave_pass_through_commands(module):
    def refuse():
        raise StateError("not now")

    module.register_command("refuse", refuse)
    with pytest.raises(StateError, match="not now") as caught:
        module.send_command("refuse")
    (note,) = caught.value.__notes__
    assert note.startswith("in command refuse of <module ")


def test_the_user_ends_a_command(module):
    def endless():
        raise KeyboardInterrupt

    module.register_command("endless", endless)
    with pytest.raises(KeyboardInterrupt):
        module.send_command("endless")


@pytest.mark.parametrize(
    "function",
    [
        lambda *words: words,
        lambda name, *words: (name, words),
        lambda **options: options,
        lambda name, /: name,
    ],
)
def test_parameters_that_no_text_can_give_are_refused(module, function):
    with pytest.raises(CommandError, match=r"cannot be given by name.*list\[str\]"):
        module.register_command("Many", function)
    assert "Many" not in module.commands


def test_a_method_with_such_parameters_is_refused_where_it_is_written():
    with pytest.raises(CommandError, match=r"command many: the parameter '\*words'"):

        @command
        def many(self, *words):
            """Take many words."""


@pytest.mark.parametrize("name", ["help", "Help", "HELP", "Commands", "two words", ""])
def test_names_that_no_command_can_have(module, name):
    with pytest.raises(CommandError):
        module.register_command(name, lambda: True)
    if name:
        with pytest.raises(CommandError):
            command(name=name)(lambda self: True)


def test_two_commands_may_not_differ_in_case_only(env):
    class Twice(ModuleBase):
        contract = 1

        @command
        def greet(self):
            """Greet."""

        @command(name="Greet")
        def other(self):
            """Greet too."""

        def main(self, args):
            return 0

    with pytest.raises(CommandError, match="'Greet' exists already, as 'greet'"):
        Twice(env).commands  # noqa: B018 - it is made now


class Texts(ModuleBase):
    contract = 1

    @command
    def flags(self, loud: bool = False, count: int = 1, quiet: bool = False) -> str:
        return f"{loud} {count} {quiet}"

    @command
    def document(self, text: list[str], last: int = 0) -> str:
        return f"{len(text)} {last}"

    @command
    def numbers(self, values: list[float] | str | None = None) -> str:
        return repr(values)

    @command
    def outcome(self, works: bool) -> CommandResult:
        return Outcome(works)


class Outcome(CommandResult):
    def __init__(self, works):
        self.works = works

    def command_text(self):
        return "it works" if self.works else None


def test_the_name_of_a_bool_alone_says_yes(env):
    made = Texts(env)
    assert made.send_command("flags loud count 2 quiet") == "True 2 True"
    assert made.send_command("flags quiet loud 0") == "False 1 True"
    with pytest.raises(CommandError, match="'count' has no value"):
        made.send_command("flags loud count")


def test_a_document_is_one_word(env):
    made = Texts(env)
    xml = '<a>\n <a x="1 2"/> <a> t </a> </a>'
    assert words_of_text(f"document text {xml} last 3") == [
        "document", "text", xml, "last", "3",
    ]  # fmt: skip
    assert made.send_command(f"document text {xml} <b/> last 3") == "2 3"
    assert words_of_text("f <a> no end") == ["f", "<a>", "no", "end"]
    assert words_of_text("f <ab> <a> </ab> 1") == ["f", "<ab> <a> </ab>", "1"]
    assert words_of_text("f a<b 3 < 4") == ["f", "a<b", "3", "<", "4"]


def test_of_unions_texts_give_the_list(env):
    made = Texts(env)
    assert made.send_command("numbers values 1 2.5") == "[1.0, 2.5]"
    assert made.command("numbers", values="all") == "'all'"
    assert made.commands["numbers"].signature == (
        "numbers(values: list[float] | None = None)"
    )


def test_results_say_themselves_what_callers_by_text_get(env):
    made = Texts(env)
    assert made.send_command("outcome works") == "it works"
    assert made.send_command("outcome 0") is None
    assert made.command("outcome", works=False).works is False


def test_misspelt_parameters_are_told_the_nearest_wherever_they_stand(env):
    made = Texts(env)
    with pytest.raises(CommandError, match="did you mean 'values'"):
        made.send_command("numbers valeus 1")
    with pytest.raises(CommandError, match="did you mean 'last'"):
        made.send_command("document text a last lats")
    with pytest.raises(CommandError, match="did you mean 'count'"):
        made.command("flags", cuont=3)


def test_texts_with_many_open_tags_are_read_in_one_go():
    text = " ".join(f"<a{k}" for k in range(200_000))
    before = time.process_time()
    assert len(words_of_text(text)) == 200_000
    assert len(words_of_text("<a " * 200_000)) == 200_000
    assert time.process_time() - before < 5.0


class Synonyms(ModuleBase):
    contract = 1

    @command(name="Close", also=("Shut",), words={"Row": "rows", "n": "count"})
    def close(self, rows: list[int], count: int = 0) -> str:
        return f"{rows} {count}"


def test_commands_and_their_parameters_may_have_more_names(env):
    made = Synonyms(env)
    assert made.send_command("shut row 1 2 n 3") == "[1, 2] 3"
    assert made.command("Shut", rows=[1]) == "[1] 0"
    assert list(made.commands) == ["Close", "Shut"]
    with pytest.raises(CommandError, match="did you mean 'row"):
        made.send_command("close row 1 roww 2")
    with pytest.raises(CommandError, match="did you mean 'count'"):
        command(words={"n": "cuont"})(lambda self, count: count)


def test_a_list_that_is_named_again_goes_on(env):
    assert Synonyms(env).send_command("Close row 1 2 count 5 row 3") == "[1, 2, 3] 5"
