"""``@atl.fn``: a Python function as a kernel."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
from types import FunctionType
from typing import Any, Callable, overload

from .. import _atl
from ..errors import Refused, refusal
from ..kernel import Kernel
from ..program import Program, entry
from .expr import Expr, Site, as_expr
from .missing import of_a_library
from .printer import Printer
from .scopes import SCOPES, Scope
from .stages import staged
from .types import ArrayType, Elem, Elems, SizeArgument
from .words import checked

__all__ = ["Polymorphic", "fn"]

#: Where a message names what could not be proved.
UNPROVED = r"cannot prove `([^`]*)`"

#: A name that is not known.
NO_NAME = r"there is no `(\w+)` here"

#: The bounds of an index that an array holds.
ELEMENT = r"0 <= (?P<array>\w+)\[(?P<index>\w+)\] < .*"

#: Those of a number, in an extent of sizes.
FIXED = r"0 <= (\d+) < ([A-Za-z_]\w*)"

#: The options of the decorator; a parameter of such a name has its type as an annotation.
Types = dict[str, Any]


class Polymorphic:
    """A traced function of arrays of several element types: a kernel for each, made when it is first called with it."""

    def __init__(self, function: Callable[..., Any], types: Types, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._types, self._options = function, types, options
        self._kernels: dict[str, Kernel] = {}
        self._choices = next(t.elem for t in types.values() if isinstance(t, ArrayType) and isinstance(t.elem, Elems)).choices
        self._decides = [name for name, t in types.items() if isinstance(t, ArrayType) and isinstance(t.elem, Elems)]
        # What is wrong with it is wrong for every type.
        self.at(self._choices[0])

    def at(self, elem: Elem) -> Kernel:
        """The kernel for arrays of this element type."""
        found = self._kernels.get(elem.name)
        if found is None:
            types = {
                name: ArrayType(elem, t.extents, t.format) if isinstance(t, ArrayType) and isinstance(t.elem, Elems) else t
                for name, t in self._types.items()
            }
            found = self._kernels[elem.name] = traced(self._function, types, **self._options)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the kernel for the element type that the arrays have."""
        by_name = dict(zip(self._types, args)) | kwargs
        for name in self._decides:
            numpy = getattr(getattr(by_name.get(name), "dtype", None), "name", None)
            for choice in self._choices:
                if choice.numpy == numpy:
                    return self.at(choice)(*args, **kwargs)
        return self.at(self._choices[0])(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<atl.Polymorphic {name_of(self._function)} of {', '.join(map(repr, self._choices))}>"


setattr(Polymorphic, "__call__", entry(Polymorphic.__call__))


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, or of whatever else is called like one."""
    return str(getattr(function, "__name__", "function"))


def parameters_of(function: Callable[..., Any]) -> dict[str, bool]:
    """The names of the parameters in order, and whether each has a default; those of any number have no name."""
    is_plain = isinstance(function, FunctionType) and not function.__dict__
    if not is_plain or function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        parameters = inspect.signature(function).parameters
        every = [p for p in parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        return {p.name: p.default is not p.empty for p in every}
    # The same as a signature says, which takes as long as the trace of a small function.
    code, named = function.__code__, function.__kwdefaults__ or {}
    plain = code.co_argcount
    first = plain - len(function.__defaults__ or ())
    return {name: k >= first if k < plain else name in named for k, name in enumerate(code.co_varnames[: plain + code.co_kwonlyargcount])}


def traced(function: Callable[..., Any], types: Types, *, where: str | None, backend: str | None) -> Kernel:
    """The kernel of a function for these types of its parameters."""
    name = name_of(function)
    # What has a default and no type is that, for Python.
    names = [n for n, has_default in parameters_of(function).items() if n in types or not has_default]
    missing = [n for n in names if n not in types]
    if missing or len(types) != len(names):
        unknown = [n for n in types if n not in names]
        what = f"has no type for `{missing[0]}`" if missing else f"has no parameter `{unknown[0]}`"
        raise refusal(f"`{name}` {what}", help=f"name each parameter once: `@atl.fn({', '.join(f'{n}=f32[N]' for n in names)})`")
    for word, what in [(name, "the name of a function"), *((n, "the name of a parameter") for n in names)]:
        checked(word, what, function)
    arguments: dict[str, Expr] = {}
    sizes: list[Expr] = []
    for n in names:
        ty = types[n]
        if isinstance(ty, SizeArgument):
            arguments[n] = Expr("name", (n,), "ix")
        elif isinstance(ty, ArrayType):
            arguments[n] = Expr("name", (n,), "value", ty.elem, ty.extents)
            sizes += ty.extents
        elif isinstance(ty, Elem):
            arguments[n] = Expr("name", (n,), "value", ty)
        else:
            raise refusal(f"`{n}` has the type `{ty!r}`", help="types are `f32[M, N]`, `f32` and `atl.size`")
    # A function is traced by itself, also where it is defined inside another one.
    outer, SCOPES.open = SCOPES.open, []
    scope = Scope()
    SCOPES.open.append(scope)
    try:
        result = several(function(**arguments))
    except Refused as refused:
        raise of_a_library(refused) from None
    except (IndexError, TypeError) as error:
        raise of_an_array(error) from None
    finally:
        SCOPES.open = outer
    sparse = [n for n in names if isinstance(types[n], ArrayType) and types[n].format]
    scope.lets, result = staged(scope.lets, result, sparse)
    declared = declared_results(function, len(result.args) if result.op == "bundle" else 1)
    sizes += [extent for ty in declared if ty is not None for extent in ty.extents]
    printer = Printer({*names, *(s for extent in sizes for s in words(extent))})
    text = program_text(name, inspect.getdoc(function), names, types, where, scope, result, declared, printer)
    if not name.isidentifier() or not name.isascii():
        raise refusal(f"a function of the name `{name}`", help="give it a name: `def f(x): ..`, in ASCII letters")
    title = f"the trace of {name}"
    try:
        return Kernel(Program._of(_atl.Program.traced(text, title, name), title), name, backend=backend)
    except Refused as refused:
        raise placed(refused, laid_out(text), printer, types) from None


def of_an_array(error: IndexError | TypeError) -> Exception:
    """The refusal of an array of NumPy's that is read at a symbol, or of a number as a range, at its line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    held = {} if trace is None else trace.tb_frame.f_locals
    if str(error).startswith(("arrays used as indices must be", "Cannot cast array data from dtype('O')")):
        found = refusal(
            "an array of the enclosing scope is read at symbols",
            note="their numbers are not known while the function is traced",
            help="compile its numbers into the kernel: `atl.constant(lut)[x]`, also in place of `np.take(lut, x)`",
        )
        return found.with_traceback(error.__traceback__)
    if str(error) == "'int' object is not iterable":
        found = refusal("a number is no range of a binder", help="say where it begins and ends: `for k in atl.upto(3)`, `for k in atl.span(1, 3)`")
        return found.with_traceback(error.__traceback__)
    if not str(error).startswith("only integers") or not any(isinstance(value, Expr) for value in held.values()):
        return error
    found = refusal(
        "an array of the enclosing scope is read at an index of a binder",
        note="the index has no value while the function is traced",
        help="compile its numbers into the kernel, `t = atl.constant(table)`, and read `t[i]`; or make it an argument: `@atl.fn(.., t=f64[K])`; "
        "over a number known to Python, `for k in range(3)` unrolls",
    )
    return found.with_traceback(error.__traceback__)


def program_text(
    name: str,
    doc: str | None,
    names: list[str],
    types: Types,
    where: str | None,
    scope: Scope,
    result: Expr,
    declared: list[ArrayType | None],
    printer: Printer,
) -> str:
    """The program: documentation, head and body."""
    for line in (doc or "").splitlines():
        printer.put(f"/// {line}\n" if line else "///\n")
    results = result.args if result.op == "bundle" else (result,)
    if any(e.elem is None for e in results):
        raise refusal(
            f"`{name}` gives a number of no type",
            note="plain numbers, indices and sizes have none; what is computed from arrays has their type",
            help="convert it: `f64(1)`, or `atl.i64(i)` for a whole number",
        )
    printer.put(f"fn {name}(")
    for k, n in enumerate(names):
        printer.put(", " if k else "")
        printer.put(f"{n}: ")
        ty = types[n]
        put_type(printer, ty if isinstance(ty, SizeArgument) else str(getattr(ty, "elem", ty)), getattr(ty, "extents", ()))
        printer.put(f" as {ty.format}" if isinstance(ty, ArrayType) and ty.format else "")
    printer.put(") -> ")
    printer.put("(" if result.op == "bundle" else "")
    for k, (e, ty) in enumerate(zip(results, declared)):
        printer.put(", " if k else "")
        if ty is None:
            put_type(printer, str(e.elem), e.shape)
        else:
            put_type(printer, str(e.elem if isinstance(ty.elem, Elems) else ty.elem), ty.extents)
            printer.put(f" as {ty.format}" if ty.format else "")
    printer.put(")" if result.op == "bundle" else "")
    printer.put(" where " if where or scope.needs else "")
    printer.put(where or "")
    for k, condition in enumerate({repr(condition): condition for condition in scope.needs}.values()):
        printer.put(", " if k or where else "")
        printer.write(condition, 0)
    printer.put(" {\n")
    printer.body(scope.lets, result)
    printer.put("\n}\n")
    return "".join(printer.parts)


def several(result: Any) -> Expr:
    """What a function gives; a tuple is several results."""
    if result is None:
        raise refusal("a traced function gives nothing", help="end it by `return`, and what it computes")
    if isinstance(result, dict):
        raise refusal("a traced function gives a dictionary", help="several results are a tuple: `return a, b`")
    if not isinstance(result, tuple):
        return as_expr(result)
    if len(result) < 2:
        raise refusal("a tuple of less than two results", help="give the result by itself")
    return Expr("bundle", tuple(as_expr(e) for e in result), "value")


def declared_results(function: Callable[..., Any], count: int) -> list[ArrayType | None]:
    """The types that the annotation of the result says, ``-> f64[N, M].as_("csr")``; nothing of a result of which it says none."""
    said = annotations_of(function).get("return")
    types = said if isinstance(said, tuple) else (said,)
    if not all(isinstance(ty, (ArrayType, Elem, Elems)) for ty in types):
        return [None] * count
    if len(types) != count:
        raise refusal(
            f"`{name_of(function)}` has {count} results, and its annotation says {len(types)}",
            help="say the type of each, `-> (f64[N], f64)`, or none",
        )
    return [ty if isinstance(ty, ArrayType) else ArrayType(ty, (), None) for ty in types]


def put_type(printer: Printer, elem: Any, extents: tuple[Expr, ...]) -> None:
    printer.put(str(elem))
    if extents:
        printer.put("[")
        printer.list(extents)
        printer.put("]")


def words(e: Expr) -> list[str]:
    """The names of sizes in an extent."""
    if e.op == "name":
        return [e.args[0]]
    return [word for part in e.args if isinstance(part, Expr) for word in words(part)]


def laid_out(text: str) -> str:
    """The text that is compiled; one that cannot be laid out is refused as it is."""
    try:
        return _atl.format(text)
    except Refused:
        return text


def placed(refused: Refused, text: str, printer: Printer, types: Types) -> Refused:
    """A refusal with the place in Python of what is refused."""
    span = refused.span
    if span is None:
        return refused
    site = printer.site(sum(not c.isspace() for c in text.encode()[: span.start].decode()))
    help = in_python(refused, types)
    if site is None and help is None:
        return refused
    said, diagnostics = str(refused), refused.diagnostics
    place = None if site is None else position(site)
    if place is not None:
        file, line, column = place
        import linecache  # for refusals alone

        source = linecache.getline(file, line).strip()
        said += f"\n  = note: in Python, {file}:{line}:{column}" + (f": {source}" if source else "")
    if help is not None:
        said += f"\n  = help: {help}"
        diagnostics = [d if d is not refused._first else {**d, "help": [*d["help"], {"text": help}]} for d in diagnostics]
    found = type(refused)(said, diagnostics)
    found.python = place
    return found


def in_python(refused: Refused, types: Types) -> str | None:
    """What to type in Python, where that is not what a program has."""
    if refused.code == "E0221":
        return "in Python, a size or an index beside integers of an array is converted by `atl.i64(N)`"
    name = re.fullmatch(NO_NAME, refused.message)
    if name is not None and isinstance(types.get(name[1]), Elem):
        return f"a `where` clause is about sizes: declare the parameter as one, `@atl.fn(.., {name[1]}=atl.size)`"
    if any("where" in help for help in refused.help):
        return f"in Python, a `where` clause is an argument of the decorator: `@atl.fn(.., where={clause(refused, types)!r})`"
    return None


def clause(refused: Refused, types: Types) -> str:
    """The condition that could not be proved: of sizes, or of all elements of an array that is read in an index; else an example."""
    found = re.search(UNPROVED, str(refused))
    if found is None or refused.code not in ("E0401", "E0403"):
        return f"1 <= {[*sizes_of(types), 'N'][0]}"
    if refused.code == "E0403":
        return found[1]
    place = re.fullmatch(FIXED, found[1])
    if place:
        return f"{place[1]} < {place[2]}"
    element = re.fullmatch(ELEMENT, found[1])
    of = element and types.get(element["array"])
    if element and isinstance(of, ArrayType) and len(of.extents) == 1:
        return f"all {element['index']} < {of.extents[0]!r} {{ {found[1]} }}"
    sizes = sizes_of(types)
    return f"{sizes[0]} <= {sizes[1]}" if len(sizes) > 1 else f"1 <= {[*sizes, 'N'][0]}"


def sizes_of(types: Types) -> list[str]:
    """The names of the sizes of a function."""
    given = [[name] if isinstance(ty, SizeArgument) else [word for n in getattr(ty, "extents", ()) for word in words(n)] for name, ty in types.items()]
    return list(dict.fromkeys(word for names in given for word in names))


def position(site: Site) -> tuple[str, int, int]:
    """File, line and column, from 1, of an instruction."""
    code, offset = site
    line, _, column, _ = next(itertools.islice(code.co_positions(), offset // 2, None), (None, None, None, None))
    return code.co_filename, line or code.co_firstlineno, (column or 0) + 1


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function; those that are texts, as ``from __future__ import annotations`` leaves them, by their values
    where its module and what it captures know the names."""
    found = dict(getattr(function, "__annotations__", {}))
    for name, text in found.items():
        if isinstance(text, str):
            try:
                made: Any = function
                cells = zip(made.__code__.co_freevars, made.__closure__ or (), strict=True)
                found[name] = eval(text, made.__globals__, {n: cell.cell_contents for n, cell in cells})  # noqa: S307
            except (NameError, AttributeError, ValueError):
                pass
    return found


@overload
def fn(function: Callable[..., Any], /) -> Any: ...
@overload
def fn(*, where: str | None = ..., backend: str | None = ..., **types: Any) -> Callable[[Callable[..., Any]], Any]: ...


@entry
def fn(function: Any = None, /, *, where: str | None = None, backend: str | None = None, **types: Any) -> Any:
    """A decorator: the function, traced once, as a kernel. Its arguments are the types of the parameters.

    ``where`` states what sizes satisfy, ``"K <= N"``. What is wrong is refused here, at the line that is wrong.

    >>> import numpy as np
    >>> from atl import f64, gen, sum
    >>> M, K, N = atl.sizes("M K N")
    >>> @atl.fn(a=f64[M, K], b=f64[K, N])
    ... def matmul(a, b):
    ...     return gen(sum(a[i, k] * b[k, j] for k in K) for i in M for j in N)
    >>> matmul(np.ones((2, 3)), np.ones((3, 1)))
    array([[3.],
           [3.]])
    """

    def decorate(function: Callable[..., Any]) -> Any:
        annotated = {n: t for n, t in annotations_of(function).items() if n != "return" and n not in types}
        known = {n: t for n, t in annotated.items() if isinstance(t, (ArrayType, Elem, Elems, SizeArgument))} | types
        names = [n for n in parameters_of(function) if n in known]
        ordered = {n: known[n] for n in [*names, *(n for n in known if n not in names)]}
        options = {"where": where, "backend": backend}
        if any(isinstance(t, ArrayType) and isinstance(t.elem, Elems) for t in ordered.values()):
            return Polymorphic(function, ordered, options)
        return traced(function, ordered, **options)

    return entry(decorate) if function is None else decorate(function)
