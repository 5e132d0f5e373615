"""Runs on a Dask cluster: connecting to one, handing out runs, and running them on a worker."""

from pddl2nl.experiments.cluster.deployments import Cluster, check_address, open_cluster

__all__ = ["Cluster", "check_address", "open_cluster"]
