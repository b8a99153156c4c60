"""The process that owns a library, and its client."""
