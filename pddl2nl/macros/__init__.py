"""Macro-actions: composed exactly by regression, or proposed by a model and then proved or refuted."""
