//! How much an answer differs from the one before it. Pure. Decides how often a prompt with a dynamic interval is asked.
