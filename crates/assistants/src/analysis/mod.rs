//! Which brands an answer names, where, how it speaks of them and what it cites.
//! Pure: mentions, positions and citations come from the text alone; a model may only propose.
