//! `glasshouse crawlers`: the crawler list in the format of each integration.

use std::process::ExitCode;

use super::output;
use analytics::crawler_list::{CrawlerList, CrawlerListForm};

/// Form to write.
#[derive(clap::Args)]
pub struct Args {
    /// Form of the list
    #[arg(long, value_enum)]
    format: CrawlerListForm,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    output::bytes(CrawlerList::of_service()?.write(args.format).as_bytes())
}
