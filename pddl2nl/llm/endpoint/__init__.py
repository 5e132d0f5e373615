"""Endpoints that speak OpenAI's protocol, asked through the openai client."""
