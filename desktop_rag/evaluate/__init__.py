"""Retrieval and answer metrics on questions with known pages."""
