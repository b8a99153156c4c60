"""Keeps the index in step with the disk: scan, plan, ledger, watcher."""
