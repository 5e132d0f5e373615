"""What searches share, one algorithm in each module.

- `grounding`: the ground actions of a task as sets of literals;
- `relaxation`: the delete relaxation and the FF heuristic; `mutexes`: h²;
- `invariants`: predicates of which at most one atom holds for each object of a kind;
- `best_first` and `beam`: the searches;
- `equivalence`: whether two problems of one domain are the same task.
"""
