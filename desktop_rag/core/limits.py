"""Limits that several parts keep to, so that each says the same number."""

LONGEST_QUESTION = 4_000
"""Characters. What is longer is a document, and every way of searching would cut it silently."""
