"""The tests' side of objects that the tests make: by its values alone where that is possible, else by asking."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..objects import twins
from ..objects.handle import NUMBER, Mirror, new_handle, number_of, set_number, set_twin, twin_of
from ..values.codec import CannotCross
from .peer import Compose, Gather, Peer
from .specials import ANSWERED, ANSWERED_THERE, JUDGING, TOLD
from .witness import Noted, Texts, Witness, text


class Constructing(Peer):
    """Makes objects, compares them by the values of their fields, and hands them over. `doubt(reason)` hears what keeps
    a pass from being confirmed."""

    def __init__(self, first: int) -> None:
        super().__init__(first)
        self.doubt: Callable[[str], None] = lambda _: None
        self.asked = 0
        """Number of questions asked that may have changed an object of the solution."""
        self._promised = 0
        """Number of the last object that the tests made by its values; these numbers count down."""
        self._promising: list[Any] = []
        """Handles and twins that got such a number from the message that is being composed."""
        self.constructed: set[int | None] = set()
        """Numbers of objects that the tests made by calling a class of the solution."""
        self._made_by_tests: set[type] = set()
        """Classes of these."""
        self._witness = Witness()
        self._is_doubted = False
        """Whether an answer was doubted already, so that nothing needs to be seen any more."""

    def answered(self, name: str = "", *operands: Any) -> None:
        """Hears that a special method of the solution answered. What one gives that does not judge is a value like what
        any method returns, if all its objects are such as the tests made by their class. So is size or text of any
        object of such a class."""
        objects = [one for one in operands if isinstance(type(one), Mirror)]
        made = self.constructed.issuperset(map(number_of, objects))
        made = made or (name in TOLD and type(operands[0]) in self._made_by_tests)
        if not objects or name in JUDGING or not made:
            library = any(type(one).__dict__.get("_@library") for one in operands[:1])
            self.doubt(ANSWERED_THERE if library else ANSWERED)
            self._is_doubted = True

    def computed(self, name: str, owner: int, args: Any) -> Any:  # noqa: ARG002
        """Returns a comparison or hash that Python generated from fields, computed here from the fields' values."""
        thing, *others = args
        if any(type(other) is not type(thing) for other in others):
            return NotImplemented
        answer = getattr(self._twin(thing), name)(*map(self._twin, others))
        if others and not (self.constructed.isdisjoint(map(number_of, args)) or self._is_seen(args)):
            self.answered()  # a constructor of the solution's own filled what is compared
        if name == "__eq__" and answer is True:
            self._compare_all(*args)
        return answer

    def _is_seen(self, things: Any) -> bool:
        """Returns whether objects are seen to hold the values that were compared here."""
        read = partial(self._texts, twins.field_names(type(things[0]).__dict__["_@twin"]))
        values: list[list[Any]] = [[*vars(self._twin(thing)).values()] for thing in things]
        compared = {number_of(thing) or 0: tuple(map(text, held)) for thing, held in zip(things, values, strict=True)}
        return not self._is_doubted and self._witness.shows(compared, read)

    def _texts(self, names: list[str], numbers: list[int]) -> list[Texts]:
        """Asks what objects of the solution hold in these fields, which changes nothing."""
        asked = self.asked
        try:
            told: Any = self.call({"op": "texts"}, (numbers, names), {})
            rows = [tuple(map(str, told[at])) for at in range(len(numbers))]
        except Exception:  # noqa: BLE001 - untrusted code may raise anything
            return [() for _ in numbers]
        self.asked = asked
        return [row if len(row) == len(names) and all(row) else () for row in rows]

    def _compare_all(self, *things: Any) -> None:
        """Notes an answer of the solution's class if that leaves out what differs, of objects that came from there."""
        one, other = map(self._twin, things)
        if max(number_of(thing) or 0 for thing in things) > 0 and vars(one) != vars(other):
            self.answered()

    def _twin(self, handle: Any) -> Any:
        """Returns the twin of an object, filled anew only if something may have changed since."""
        known, age = twin_of(handle)
        if known is not None and (age == self.asked or number_of(handle) is None):
            return known
        asked, twin_class = self.asked, type(handle).__dict__["_@twin"]
        values = self.call({"op": "fields"}, (handle, twins.field_names(twin_class)), {})
        self.asked = asked  # reading changes nothing
        twin = twins.fill(twin_class, values)
        set_twin(handle, twin, asked)
        return twin

    def construct(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        number = cls.__dict__.get(NUMBER)
        if number is None:
            self.subclassed(cls.__name__)
        made_here = cls.__dict__.get("_@made")
        twin = twins.construct(cls.__dict__["_@twin"], args, kwargs) if made_here else None
        if twin is not None:
            return new_handle(cls, None, twin)
        noted = self._noted(cls, args, kwargs)
        known = self.mirrors.made, self.codec.shared.made
        made = self.call({"~": number}, args, kwargs)
        if known == (self.mirrors.made, self.codec.shared.made):
            self.answered()  # the object was there before, so it equals itself
        elif type(made) is not cls and "_@twin" in cls.__dict__:
            self.answered()  # an object of another class differs from all that the program gives
        elif isinstance(type(made), Mirror):
            self.constructed.add(number_of(made))
            self._made_by_tests.add(cls)
            self._witness.made[number_of(made)] = noted
        return made

    def _noted(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> Noted:
        """Notes what may show later how an object compares to one that the program makes of these arguments."""
        twin_class = cls.__dict__.get("_@twin")
        if not twin_class or self._is_doubted:
            return {}, {}
        read = partial(self._texts, twins.field_names(twin_class))
        return self._witness.note(twins.given(twin_class, args, kwargs), partial(self.mirrors.of_class, cls), read)

    def subclassed(self, name: str) -> None:
        reason = f"the tests subclass a class of the solution ({name})"
        self.limit(reason)
        raise CannotCross(reason)

    def handed_over(self, handle: Any) -> Any:
        if number_of(handle) is not None:
            return super().handed_over(handle)
        promised = self._promised = self._promised - 1
        twin: Any = twin_of(handle)[0]
        self._promising.append((handle, twin))
        set_number(handle, promised)
        set_twin(handle, None, 0)
        self.mirrors.get(promised, lambda: handle)
        fields = {name: self.codec.encode(value) for name, value in twins.arguments(twin).items()}
        return {"p": [promised, type(handle).__dict__[NUMBER], fields]}

    def _mark(self) -> Any:
        return *super()._mark(), len(self._promising)

    def _undo(self, mark: Any) -> None:
        super()._undo(mark)
        for handle, twin in self._promising[mark[2] :]:
            self.mirrors.forget(handle)
            set_number(handle, None)
            set_twin(handle, twin, 0)
        del self._promising[mark[2] :]

    def _compose(self, compose: Compose, gather: Gather) -> None:
        super()._compose(compose, gather)
        self._promising.clear()
