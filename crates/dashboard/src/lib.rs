//! The dashboard: its files inside the binary, and the API that only it uses.
//! The rightmost feature: it may use every other one, and none uses it.

pub mod assets;
pub mod attention;
pub mod changes;
pub mod first_run;
pub mod handlers;
pub mod health;
pub mod overview;
pub mod preview_image;
mod queries;
pub mod service;
pub mod sites;
mod state;
pub mod weekly;

pub use service::{DashboardServices, SiteDashboard};
pub use state::DashboardState;
pub use weekly::WeeklyMailer;
