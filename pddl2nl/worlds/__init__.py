"""What an agent acts in and remembers: executors that may differ from the model, and the knowledge graph.

- the world: `executor` carries actions out, `faults` says how it differs from the model, `alignment` compares the
  expected with the observed state, `triples` writes atoms as subject, predicate and object;
- the memory: `ontology` (classes, properties, affordances), `knowledge_graph` (the ontology with a task's objects, its
  present state and what was done); `ontology_graph` and `task_graph` write and read them as RDF;
- retrieval: `similarity` (nearest texts), `retrieval` (from the names that a model gives to objects).

Everything except `ontology_graph` and `task_graph` imports without rdflib (extra ``macros``).
"""
