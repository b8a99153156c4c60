"""What every part shares: types, errors, jobs, settings, paths and logging. Imports nothing else of ours."""
