//! `glasshouse config`: the effective settings and their sources. Secrets are masked before they reach this file.

use std::process::ExitCode;

use super::{Context, Output, output, table};
use platform::config::{SettingOrigin, describe_settings};

/// Options of the listing.
#[derive(clap::Args)]
pub struct Args {
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Prints the reference of all settings in Markdown instead
    #[arg(long, conflicts_with = "json")]
    describe: bool,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> anyhow::Result<ExitCode> {
    if args.describe {
        return output::bytes(describe_settings().as_bytes());
    }
    let lines = context.config.listing();
    if args.json {
        let map: serde_json::Map<_, _> =
            lines.iter().map(|line| (line.key.clone(), line.value.clone())).collect();
        return Output::Json(map).print();
    }
    let row = |line: &platform::config::EffectiveSetting| {
        let origin =
            if line.origin == SettingOrigin::Default { String::new() } else { line.origin.to_string() };
        vec![line.key.clone(), line.value.to_string(), origin]
    };
    output::line(&table(&["key", "value", "set by"], lines.iter().map(row).collect()))
}
