//! `glasshouse openapi`: the OpenAPI document.

use std::process::ExitCode;

use super::{Context, output};

/// Runs the command.
pub fn run(context: &Context) -> anyhow::Result<ExitCode> {
    output::line(&crate::app::openapi(&context.config).to_pretty_json()?)
}
