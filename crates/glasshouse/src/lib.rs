//! The Glasshouse service: shows what crawlers and AI see of a site. Combines the features, and runs the commands.
//! See ARCHITECTURE.md.

pub mod app;
pub mod cli;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod unrendered;
