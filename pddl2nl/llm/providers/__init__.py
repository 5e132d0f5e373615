"""Models that are reached otherwise than by the address of an endpoint, each with an extra of its own."""
