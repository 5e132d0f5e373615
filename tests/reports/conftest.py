"""The records that tests of reports share."""

from tests.records import act_events, basic_events, experiment_of, hostile, planned, tower, write

__all__ = ["act_events", "basic_events", "experiment_of", "hostile", "planned", "tower", "write"]
