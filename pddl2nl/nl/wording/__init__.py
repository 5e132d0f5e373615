"""Wordings: how the predicates, actions, functions and types of a domain are said in English."""
