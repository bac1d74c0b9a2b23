"""Ordered collections that are read by name, by index and by iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from pyrave.attributes import Closed, TellsNames, put
from pyrave.cards import counted
from pyrave.errors import ArgumentError, AttributeNameError, NotFoundError, shown


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""
        ...


T_co = TypeVar("T_co", bound=Named, covariant=True)


class NamedCollection(Closed, TellsNames, Generic[T_co]):
    """A read-only ordered collection: ``c["name"]``, ``c[0]``, ``for x in c``.

    It is a snapshot: adding to its owner later does not change it.

    Parameters
    ----------
    kind
        What an item is, in one word or two.
    elsewhere
        Says where a name is that is not here, or returns an empty text.
    items
        In order; of several with one name the first is found by it.
    """

    __slots__ = ("_by_name", "_elsewhere", "_items", "_kind")

    _items: tuple[T_co, ...]
    _kind: str
    _elsewhere: Callable[[str], str] | None
    _by_name: dict[str, T_co] | None

    def __init__(
        self,
        items: Iterable[T_co],
        kind: str,
        elsewhere: Callable[[str], str] | None = None,
    ) -> None:
        put(self, "_items", tuple(items))
        put(self, "_kind", kind)
        put(self, "_elsewhere", elsewhere)
        put(self, "_by_name", None)

    # type checkers would let pass any name
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name[:1] != "_" and name in self._index():
                raise AttributeNameError(
                    f"a collection has no attribute {name!r}, the name of one of its "
                    f"items: write [{name!r}]",
                    name,
                )
            return super().__getattr__(name)

    def _index(self) -> dict[str, T_co]:
        if self._by_name is None:
            # whole before another thread sees it
            index: dict[str, T_co] = {}
            for item in self._items:
                index.setdefault(item.name, item)
            self._by_name = index
        return self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(item.name for item in self._items)

    @overload
    def __getitem__(self, key: str | int) -> T_co: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, key: str | int | slice) -> T_co | tuple[T_co, ...]:
        if isinstance(key, str):
            try:
                return self._index()[key]
            except KeyError:
                hint = self._elsewhere(key) if self._elsewhere is not None else ""
                raise NotFoundError(self._kind, key, self._index(), hint) from None
        try:
            return self._items[key]
        except IndexError:
            known = (f"0..{len(self._items) - 1}",) if self._items else ()
            hint = self._elsewhere("") if self._elsewhere and not self._items else ""
            raise NotFoundError(self._kind, key, known, hint) from None
        except TypeError:
            raise ArgumentError(
                f"{shown(key)} names no {self._kind}; expected a name, an index or a "
                "slice"
            ) from None

    def get(self, name: str) -> T_co | None:
        """Return the item of that name, or None."""
        return self._index().get(name)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return item in self._index()
        return any(item is own for own in self._items)

    def _ipython_key_completions_(self) -> list[str]:
        """Return the keys for brackets, for shells that complete them."""
        return list(self._index())

    def __iter__(self) -> Iterator[T_co]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        names = f": {', '.join(self.names)}" if self._items else ""
        return f"<{counted(len(self), self._kind)}{names}>"
