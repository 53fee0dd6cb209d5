//! Closed days: what a day's rows look like when nothing more is expected of it, and how a day gets there.
//! `rows`, `totals`, `paths` and `first_days` are what is kept, `close` brings open rows there, `late` what comes
//! when the day is long over, `window` and `window_pages` read closed and open days as one.

pub mod close;
pub mod first_days;
pub mod late;
pub mod paths;
pub mod rows;
pub mod totals;
pub mod window;
pub mod window_pages;

#[cfg(test)]
pub(in crate::analytics) mod tests;
