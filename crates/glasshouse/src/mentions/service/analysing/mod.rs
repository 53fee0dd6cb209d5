//! Analysis of answers: from what a provider sent to rows and sums.

pub mod answer;
pub mod books;
pub mod finishing;
pub mod model;
pub mod reanalysis;
