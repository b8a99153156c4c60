"""Limits that several parts keep to, so that each says the same number."""

LONGEST_QUESTION = 4_000
"""Characters. What is longer is a document, and every way of searching would cut it silently."""

CLEAR_CONFIDENCE = 0.8
"""A recognised line that is less certain than this may have wrong words: from 0 to 1, the mean over its characters."""
