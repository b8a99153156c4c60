"""Desktop RAG."""
