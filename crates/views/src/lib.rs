//! Views: a page as a person sees it, as a crawler gets it, and as it is without Glasshouse, side by side for the dashboard.
//! A job takes each in a browser apart from those that render for clients. See docs/decisions/0452.

pub mod handlers;
mod jobs;
pub mod model;
mod queries;
mod raw_page;
pub mod service;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod work;

pub use jobs::{TakeView, TidyViews};
pub use service::Views;
pub use state::ViewsState;
