"""Kernels: functions under schedules, that are called with arrays."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from . import _atl
from .errors import CompilerWarning, refusal
from .require import required
from .show import Explanation, Text
from .theorem import Theorem

if TYPE_CHECKING:
    from .program import Program

__all__ = ["Kernel"]

class Report(NamedTuple):
    """What a search tried: how many scripts, how many were refused by which code, and what was measured.

    What was measured is, of each: its steps, how many times as fast as the function as written it is, and seconds.
    """

    tried: int
    refused: dict[str, int]
    measured: list[tuple[list[str], float, float]]


class Site(NamedTuple):
    """A loop or a ``let``: the name by which directives call it, what it is, and the loops around it."""

    name: str
    what: str
    inside: list[str]


class Stats(NamedTuple):
    """What calls of a kernel did: how many arguments were copied because they did not lie as the kernel reads them."""

    copies: int


#: The directives of schedules, by name, with the form of each.
DIRECTIVES: dict[str, str] = dict(_atl.directives())


class Kernel(_atl.Kernel):
    """A function under a schedule. It is called with arrays, by position or by name.

    ``out=`` takes an array for the result, ``copy=False`` forbids copies of arguments that are not in C order, and
    ``threads=`` says on how many threads parallel loops run. A size that no array gives is given by name.

    A kernel without steps runs under a schedule that the cost model chooses when it is first called, with the same results to the bit; a
    function of sparse arrays may round otherwise, and ``require`` forbids that. ``k.schedule("auto")`` is the kernel under that schedule,
    ``k.schedule("none")`` the function as it is written.

    Every directive of schedules is a method that returns a new kernel: ``k.tile("y, x", by=(64, 64))`` is the step
    ``tile y, x by 64, 64;``. A keyword's trailing underscore falls off.
    """

    program: Program
    _steps: list[str]
    _schedule: str | None
    _backend: str | None
    _given: list[str] | None
    _rounding: str | None
    #: What a search for this kernel tried, if it comes from one.
    report: Report | None = None

    def __new__(
        cls,
        program: Program,
        function: str,
        schedule: str | None = None,
        steps: list[str] | None = None,
        backend: str | None = None,
        rounding: str | None = None,
    ) -> Kernel:
        demanded = required()
        chosen = demanded if demanded not in (None, "real") else rounding
        self: Kernel = super().__new__(cls, program._handle, function, schedule, steps, backend, chosen)
        if demanded is not None:
            self.require_rounding(demanded)
        self.program = program
        self._schedule = schedule
        self._backend = backend
        self._given = steps
        self._rounding = rounding
        if steps is None:
            steps = [] if schedule is None else program._handle.steps(function, schedule)
        self._steps = steps
        self.__doc__ = self.doc or None
        if backend is None:
            _warn_of_slow_code(self.backend)
        return self

    def _with(self, steps: list[str]) -> Kernel:
        return type(self)(self.program, self.name, self._schedule, self._steps + steps, self._backend)

    def schedule(self, steps: str, *, rounding: str | None = None, budget: int = 40, **sizes: int) -> Kernel:
        """The function under more steps: those of a schedule by its name, or the text of steps.

        ``schedule("auto")`` is what a call without a schedule runs, and ``schedule("none")`` the function as it is written.
        ``schedule("auto", N=480)`` asks the cost model for one at these sizes, among ``budget`` proposals that preserve
        ``rounding``, ``"bitwise"`` if it is not given: nothing is measured, and the answer is the same every time. Raises ``Refused`` at the
        step that does not apply.
        """
        text = steps.strip()
        if text in ("auto", "none") and text not in self.program.schedules.get(self.name, []):
            if self._steps:
                raise refusal(f"`{text}` begins with the function as it is written", help=f'take it from the program: `k.program["{self.name}"]`')
            if text == "none":
                return self._with([])
            if sizes:
                return self._with(_atl.propose_for(self, list(sizes.items()), rounding or "bitwise", budget))
            kernel = self if rounding is None else type(self)(self.program, self.name, None, None, self._backend, rounding)
            # Another back end runs what is chosen for C.
            return self._with(self.program._handle.steps(self.name, kernel.open or "auto"))
        if sizes:
            raise refusal("a schedule holds for all sizes", help='leave them out; `schedule("auto", N=..)` takes the sizes to choose for')
        if not text.isidentifier():
            return self._with([text])
        if not self._steps and self._schedule is None:
            named = self.program.schedules.get(self.name, [])
            if text in named or text not in DIRECTIVES:
                return type(self)(self.program, self.name, text, None, self._backend)
            return self._with([text])
        return self._with(self.program._handle.steps(self.name, text))

    def _step(self, directive: str, arguments: tuple[Any, ...], words: dict[str, Any]) -> Kernel:
        parts = [directive, ", ".join(map(_argument, arguments))]
        for word, value in words.items():
            parts += [word.rstrip("_"), "" if value is True else _argument(value)]
        return self._with([" ".join(part for part in parts if part)])

    def __getattr__(self, name: str) -> Callable[..., Kernel]:
        directive = name.rstrip("_")
        if directive not in DIRECTIVES:
            known = self.__dict__.get("program")
            hint = "" if known is None else f"; a schedule is taken by `.schedule({name!r})`"
            raise AttributeError(f"a kernel has no attribute or directive `{name}`{hint}")

        def step(*arguments: Any, **words: Any) -> Kernel:
            return self._step(directive, arguments, words)

        step.__name__ = step.__qualname__ = directive
        step.__doc__ = DIRECTIVES[directive]
        from .program import entry

        return entry(step)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *DIRECTIVES})

    @property
    def script(self) -> str:
        """The steps of the schedule, a line each."""
        return "\n".join(step.rstrip(";") + ";" if not step.endswith("}") else step for step in self._steps)

    @property
    def text(self) -> str:
        """The function as it is written: of a program of one function, the program."""
        program = self.program
        if len(program) == 1 and not program.schedules[self.name]:
            return Text(_atl.format(program.text))
        return Text(self.show("source"))

    @property
    def digest(self) -> str:
        """SHA-256 of the compiler's version, the function and the steps: the same in every process."""
        import hashlib  # it is used here alone, and takes milliseconds

        parts = [_atl.version(), self.name, str(self.show("source")), self.script]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def show(self, stage: str = "scheduled", /, **sizes: int) -> str:
        """The function at a stage: source, scheduled, normal, loops, c, cuda, or order for some sizes."""
        if sizes and stage != "order":
            raise refusal(f"the stage `{stage}` holds for all sizes", help='leave them out; `show("order", N=4)` shows a run of given sizes')
        return Text(self.show_stage(stage, list(sizes.items())))

    def explain(self, *, step: int | None = None, **sizes: int) -> Explanation | Text:
        """What each step proved, and what lowering relied on: text, and a page in a notebook.

        ``step`` is the number of one step, from 1: its equation, what it changed, and the conditions that it proved.
        """
        if step is None:
            return Explanation(self, sizes)
        steps = _atl.explained_steps(self)
        if not 1 <= step <= len(steps):
            raise refusal(f"there is no step {step}", help=f"the schedule has {len(steps)} steps, the first is `step=1`")
        return Text(steps[step - 1][2])

    def sites(self) -> list[Site]:
        """The loops and ``let`` s that a next step could name, in the order of the text."""
        return [Site(*found) for found in _atl.sites_after(self, self._steps)]

    def rules(self) -> dict[str, list[str]]:
        """The rules that a step ``rw`` could apply now, and the terms that each would rewrite."""
        found = _atl.rules_after(self, self._steps)
        return {rule: [term for term, _ in terms] for rule, _, terms in found if terms}

    @property
    def stats(self) -> Stats:
        """What calls did so far."""
        return Stats(copies=self.copies)

    def tune(
        self,
        *args: Any,
        budget: int = 60,
        best: int = 8,
        rounds: int = 25,
        rounding: str = "bitwise",
        progress: bool | Callable[[str], None] = False,
        **kwargs: Any,
    ) -> Kernel:
        """The function under the quickest of the schedules that a search proposes, measured on these arguments.

        ``budget`` is how many scripts are tried, ``best`` how many are measured; ``rounding`` is the least that they preserve. A
        result is compared with the interpreter's before it is timed. Arrays that are not given are made up. ``progress`` prints what is under way, or is given each
        line. The kernel's ``report`` says what was tried; it is the function as written where nothing was quicker.
        """
        if self._steps:
            raise refusal("tuning begins with the function as it is written", help=f'take it from the program: `k.program["{self.name}"]`')
        effort = {"budget": budget, "best": best, "rounds": rounds, "rounding": rounding}
        tell = (print if sys.stderr.isatty() else None) if progress is True else progress or None
        steps, tried, refused, measured = self.tune_for(args, kwargs, effort, tell)
        found = self if steps is None else self._with(steps)
        found.report = Report(tried, dict(refused), measured)
        return found

    def build(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes C, a header, libraries, a manual and the proof into a folder; the files that were written.

        ``blur.py`` among them has the function ``blur`` for Python with NumPy and without this package: the same checks
        of arguments, none of the compiler. Several results, and one in a format, have no such module. Without a C compiler there are no
        libraries, and no module.
        """
        import json  # it is used here alone, and takes milliseconds

        files, signature, _ = self.build_into(os.fspath(folder))
        written = [os.fspath(file) for file in files]
        described = json.loads(signature)
        is_one = len(described["results"]) == 1
        if is_one and described["result"]["storage"] == "row_major" and any(name.endswith(".so") for name in written):
            import pathlib  # it is used here alone, and takes milliseconds

            template = pathlib.Path(__file__).with_name("loader.py").read_text(encoding="utf-8")
            module = pathlib.Path(folder, f"{described['c']['function']}.py")
            module.write_text(template.replace("SIGNATURE: dict[str, Any] = {}", f"SIGNATURE: dict[str, Any] = {described!r}"), encoding="utf-8")
            written.append(os.fspath(module))
        return written

    @property
    def theorem(self) -> Theorem:
        """What is proved of the kernel: it equals the function as it is written."""
        return Theorem(self)

    @property
    def __signature__(self) -> inspect.Signature:
        kinds = inspect.Parameter
        given = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name, _ in self.parameters()]
        taken = {p.name for p in given}
        options = [kinds(o, kinds.KEYWORD_ONLY, default=None) for o in ("out", "copy", "threads") if o not in taken]
        return inspect.Signature(given + options)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}: {kind}" for name, kind in self.parameters())
        steps = len(self._steps)
        under = f" under {steps} step{'s' * (steps != 1)}" if steps else ""
        return f"<atl.Kernel {self.name}({arguments}){under}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.program, self.name, self._schedule, self._given, self._backend, self._rounding))


def _argument(value: Any) -> str:
    """An argument of a step, as it is written."""
    if isinstance(value, (tuple, list)):
        return ", ".join(map(_argument, value))
    return str(value)


_told = False


def _warn_of_slow_code(backend: str) -> None:
    global _told
    if backend == "c" or _told:
        return
    _told = True
    warnings.warn(
        "no C compiler was found ($CC, cc, gcc, clang), so Cranelift compiles kernels: without vectors and threads, "
        "a tiled blur takes some 12 times as long. Install gcc or clang, or `pip install ziglang` and "
        'set CC="python -m ziglang cc"',
        CompilerWarning,
        stacklevel=4,
    )


def _entries() -> None:
    from .program import entry

    for name in ("build", "schedule", "show", "explain", "sites", "rules", "tune"):
        setattr(Kernel, name, entry(getattr(Kernel, name)))


_entries()
