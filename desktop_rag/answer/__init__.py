"""From hits to an answer that holds."""
