//! Closed days: what a day's rows look like when nothing more is expected of it, and how a day gets there.
//! `rows`, `totals` and `paths` are what is kept, `close` brings open rows there, `late` what comes
//! when the day is long over, `window` reads closed and open days as one.

pub mod close;
pub mod late;
pub mod paths;
pub mod rows;
pub mod totals;
pub mod window;

#[cfg(test)]
pub(in crate::analytics) mod tests;
