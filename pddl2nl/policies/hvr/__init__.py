"""HVR: plans in two levels, verified and corrected, from a knowledge graph that is kept up to date."""
