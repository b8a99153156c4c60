"""Questions to begin with, made from what was read: each has an answer that the program gives."""
