"""Worlds that may differ from the model, and how texts are compared.

- the world: `executor` carries actions out, `faults` says how it differs from the model, `triples` writes atoms as
  subject, predicate and object;
- `similarity`: nearest texts.
"""
