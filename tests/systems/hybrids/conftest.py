"""The cups of the policies' tests."""

from tests.policies.conftest import play, world

__all__ = ["play", "world"]
