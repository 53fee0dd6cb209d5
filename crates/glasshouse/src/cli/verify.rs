//! `glasshouse verify URL`: reports whether crawlers of a site get pages and people the app, with the remedy.

use std::process::ExitCode;

use crawler::url::parse_target;

use super::{BadUsage, Context, Output};
use verify::{ImitatedCrawler, SiteVerifier, VerifyTarget, as_text};

/// Exit code when something was found.
const FOUND: u8 = 3;

/// Page to verify, and form of the report.
#[derive(clap::Args)]
pub struct Args {
    /// Absolute http or https address of a page
    url: String,
    /// Crawler to imitate, by id or name
    #[arg(long = "as", value_name = "CRAWLER", default_value = verify::DEFAULT_CRAWLER)]
    crawler: String,
    /// Prints the report as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. Exit code 0 without findings, 3 with findings, 1 without any response.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let url = parse_target(&args.url, context.config.limits.url_bytes)
        .map_err(|error| BadUsage(format!("{:?}: {error}", args.url.chars().take(80).collect::<String>())))?;
    let crawler = ImitatedCrawler::named(&args.crawler).map_err(|error| BadUsage(error.to_string()))?;
    let report = SiteVerifier::new(&context.network()?).verify(&VerifyTarget::new(url, crawler)).await?;
    let code = if report.ok { ExitCode::SUCCESS } else { ExitCode::from(FOUND) };
    let output = if args.json { Output::Json(&report) } else { Output::Text(as_text(&report)) };
    output.print()?;
    Ok(code)
}
