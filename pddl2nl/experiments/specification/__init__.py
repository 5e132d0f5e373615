"""Experiments: from a TOML file to the runs that it asks for.

==============  =======================================================================================
`file`          the file, its variables, and errors with line and column
`schema`        the tables and keys of a file, and the values that they accept
`domains`       ``domains``: names, files and folders become domains with their tasks
`columns`       ``[[columns]]``: what is compared
`experiment`    the whole specification, with what the command line replaces
`filters`       filters of tasks that need a planner or an estimate
`product`       the runs, and their places in tables
`shipped`       the shipped specifications
==============  =======================================================================================
"""
