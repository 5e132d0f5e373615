"""Experiments: from a specification to the runs that it asks for.

==============  =======================================================================================
`file`          the TOML file, and errors with line and column
`schema`        the tables and keys of a specification, and the values that they accept
`domains`       ``domains``: names, files and folders become domains with their tasks
`columns`       ``columns``: what is compared
`experiment`    the experiment: columns on tasks, their runs and places in tables
`shipped`       the shipped specifications, and experiments by name
==============  =======================================================================================
"""
