"""One protocol per kind of model, and its adapters."""
