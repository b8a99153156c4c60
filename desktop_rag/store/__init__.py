"""What is kept: a SQLite catalogue and a LanceDB directory per workspace."""
