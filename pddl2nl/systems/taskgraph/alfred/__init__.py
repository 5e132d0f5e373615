"""The household tasks of ALFRED: its classes and affordances, scenes of four kinds, and types of tasks.

Shridhar et al., "ALFRED: A Benchmark for Interpreting Grounded Instructions for Everyday Tasks" (CVPR 2020); the long
types are those of the GraphPlan paper. The modules:

* ``classes``: the classes of objects and their affordances
* ``types``: the types of tasks, with the subtasks that do them
* ``words``: instructions
* ``scenes``: rooms with furniture and things
* ``tasks``: a task in a scene, its problem in PDDL, its instruction and its plan in subtasks; the generator
* ``sets``: the paper's sets of tasks as folders
"""
