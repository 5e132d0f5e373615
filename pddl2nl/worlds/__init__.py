"""What an agent acts in and remembers: executors that may differ from the model, and the knowledge graph.

Ground first:

- the world: `executor` (what really happens), `faults` and `fault_text` (how it differs from the model), `alignment`
  (what was expected and what is observed), `triples` (both as subject, predicate, object);
- the memory: `vocabulary` (names of RDF), `ontology` and `ontology_graph` (classes, properties, affordances),
  `terms` (a domain's names in it), `knowledge_graph` with `fact_graph`, `event_graph` and `queries` (the ontology, a
  task's objects, the present state, what was done), `known` (its answers);
- retrieval: `similarity` (nearest texts), `retrieval` (from what a model names to objects).

Everything here imports without rdflib; who makes a graph without it is told what to install.
"""
