//! Analysis of answers: from what a provider sent to rows and sums.

pub mod answer;
pub mod brand_cache;
pub mod by_model;
pub mod finishing;
pub mod reanalysis;
pub mod threads;
