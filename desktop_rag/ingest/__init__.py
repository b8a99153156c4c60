"""From a file to pages and elements with a known place."""
