//! The Glasshouse service: what crawlers and AI see of a site. Puts the features together, and runs the commands.
//! See ARCHITECTURE.md.

pub mod app;
pub mod cli;
pub mod unrendered;
