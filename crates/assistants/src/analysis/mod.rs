//! Which brands an answer names, where, how it speaks of them and what it cites.
//! Pure: mentions, positions and citations come from the text alone; a model may only propose.

pub mod brand;
pub mod citations;
pub mod common_words;
pub mod hosts;
pub mod matcher;
pub mod prose;
