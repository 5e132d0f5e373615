"""Questions with exact answers about planning tasks, as ACPBench and PlanBench ask them."""
