"""Task graphs: which subtask may follow which, in any domain whose subtasks are sequences of actions.

After the GraphPlan paper (section 3.1.1), which judges by hand what may follow what. The modules:

* ``nodes``: subtasks and the actions that carry them out, from a ``subtasks.json``, actions, or macro-actions
* ``graph``: task graphs
* ``building``: builds them from plans, from compatible actions, and by proof
* ``proving``: edges that are proved to be possible, certain, or impossible
* ``automaton``: plans that are refused although each pair of their subtasks is an edge
* ``checking``: plans in files, and all that is wrong with them
"""
