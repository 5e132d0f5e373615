"""GraphPlan: plans of subtasks along a task graph (GraphPlan paper; the policy is called ``taskgraph``)."""
