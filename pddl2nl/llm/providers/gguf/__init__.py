"""Language models in GGUF files, run on this machine by llama.cpp (extra ``local``).

========== =========================================================================
model      `GGUFModel`: starts the server, asks it through the openai client, stops it
server     the server's process; a script that imports nothing of pddl2nl
========== =========================================================================
"""
