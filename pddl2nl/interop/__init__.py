"""Adapters to other tools and their files; never the core model."""
