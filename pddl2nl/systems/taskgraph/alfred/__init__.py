"""The household tasks of ALFRED: its classes and affordances, scenes of four kinds, and types of tasks.

Shridhar et al., "ALFRED: A Benchmark for Interpreting Grounded Instructions for Everyday Tasks" (CVPR 2020); the long
types are those of the GraphPlan paper.
"""
