"""Python functions as programs: a function is run once on symbols, and what it computes with them is its text.

No source is read. A generator expression is a binder: ``gen(x[i] + 1 for i in N)`` is ``gen i < N { x[i] + 1 }``, and the
index has the name that it has in Python.
"""
