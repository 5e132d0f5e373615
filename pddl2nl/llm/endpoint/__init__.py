"""Endpoints that speak OpenAI's protocol.

========== =========================================================================
client     `OpenAIModel`: asks for chat completions and embeddings
connection the openai clients, and the bounds that all answers pass
faults     what each fault means: whether it may pass, and the error it becomes
limiter    requests and tokens per minute, shared by all threads
redaction  strikes out keys; `urls` shows addresses without credentials
========== =========================================================================
"""
