//! AI mentions, tested with the stand-ins of all vendors on both engines.

mod asking;
mod brands;
mod faults;
mod fixture;
mod history;
mod prompts;
mod reading;
mod schedules;
mod sums;
