"""The window. The only part that imports Qt."""
