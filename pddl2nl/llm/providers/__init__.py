"""Models that are reached otherwise than by the address of an endpoint, each with an extra of its own.

========== =========================================================================
gguf       files that llama.cpp serves (``gguf:PATH``)
litellm    the providers that the package litellm reaches (``litellm:NAME``)
huggingface models of the package transformers, in this process (``transformers:PATH``)
========== =========================================================================
"""
