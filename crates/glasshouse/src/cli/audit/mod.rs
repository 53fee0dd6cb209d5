//! `glasshouse audit URL`: audits a site without a server, for people and pipelines.

mod html;
mod report;
mod rules;
mod source;

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use audit_engine::checks::{CheckId, Severity, document};
use audit_engine::engine::{Audit, AuditOptions, AuditProgress, AuditStatus, CrawlMode, audit};
use browser::Renderer;
use clap::ValueEnum;
use crawler::{Network, NetworkError};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use url::Url;

use super::{BadUsage, Context, output};
use source::NetworkSource;

/// Exit code when something at or above `--fail-on` was found.
const FOUND: u8 = 3;
/// Bytes of a report per write.
const WRITTEN_AT_ONCE: usize = 256 * 1024;
const BAR: &str = "{bar:40} {pos} of {len} addresses, {per_sec}, {eta} left{msg}";
const USER_AGENT: &str =
    concat!("Glasshouse/", env!("CARGO_PKG_VERSION"), " (+https://github.com/glasshouse)");

/// Options of an audit and of its report.
#[derive(clap::Args)]
pub struct Args {
    /// Address where the audit begins; in sitemap mode the site or its sitemap
    #[arg(required_unless_present = "describe")]
    url: Option<String>,
    /// Prints every check, with why it matters and how to fix what it finds, and audits nothing
    #[arg(long)]
    describe: bool,
    /// Method of finding pages
    #[arg(long, value_enum, default_value = "follow")]
    mode: ModeName,
    /// HTML pages after which the audit ends
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_pages: usize,
    /// Renders no page in the browser
    #[arg(long)]
    no_js: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Writes to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Writes the HTML report to this file too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Exits with 3 when an issue of this severity or a higher one was found
    #[arg(long, value_enum, default_value = "never")]
    fail_on: FailOn,
    /// Runs a check that is off by default
    #[arg(long, value_name = "ID")]
    enable: Vec<String>,
    /// Leaves a check out
    #[arg(long, value_name = "ID")]
    disable: Vec<String>,
    /// Audits only paths that match; * is any run of characters
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Leaves paths out that match
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Name that the audit gives itself; its first word is what robots.txt calls it
    #[arg(long, value_name = "UA", default_value = USER_AGENT)]
    user_agent: String,
    /// Header that is sent to the site with every request
    #[arg(long, value_name = "'K: V'")]
    header: Vec<String>,
    /// Audits only a sample of large groups of similar pages
    #[arg(long)]
    sample: bool,
    /// Most pictures, scripts and links to other sites that are tried; 0: none
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    max_assets: usize,
    /// Clicks from the start beyond which links are not followed
    #[arg(long, value_name = "N")]
    max_depth: Option<u16>,
    /// Parameter that makes no other page
    #[arg(long, value_name = "NAME")]
    drop_parameter: Vec<String>,
    /// Shows pieces of each page in the JSON report: texts or attributes of elements, or the matches of an expression
    #[arg(long, value_name = "NAME=SELECTOR[@ATTRIBUTE]|NAME=/EXPRESSION/")]
    extract: Vec<String>,
    /// Names the pages that show a text, or whose source matches an expression; with != those that do not
    #[arg(long, value_name = "NAME=TEXT|NAME=/EXPRESSION/")]
    search: Vec<String>,
    /// Another number for checks than the usual one; --describe lists them
    #[arg(long, value_name = "NAME=NUMBER")]
    threshold: Vec<String>,
    /// Most requests per second
    #[arg(long, value_name = "N")]
    rps: Option<f64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeName {
    Follow,
    Sitemap,
    Selected,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
    Csv,
    Html,
}

#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Notice,
    Never,
}

/// Runs the command. Exit code 0, or 3 when `--fail-on` applies.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    if args.describe {
        output::bytes(document().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = options(&args, context)?;
    // Huge pages double the memory of a small program. A failure changes nothing.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let headers = args.header.iter().map(|header| parse_header(header)).collect::<Result<Vec<_>, _>>()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder for the browser")?;
    let browser_network = context.network()?;
    let browser = (!args.no_js).then(|| context.browser(browser_network.clone(), folder.path()));
    let user_agent: http::HeaderValue =
        args.user_agent.parse().map_err(|_| BadUsage("--user-agent takes plain text".to_owned()))?;
    let site = options.seeds[0].clone();
    let source = NetworkSource::new(context.network()?, user_agent, headers, &site, browser.clone(), context);

    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template(BAR).expect("a template that a test reads"));
    let audit = on_its_own_thread(source, options, bar).await?;
    if let Some(browser) = browser {
        browser.shutdown().await;
    }
    if audit.status == AuditStatus::Unreachable {
        let refusal = refusal(&browser_network, &site).await;
        let reason = refusal.or(audit.error_message).unwrap_or_default();
        anyhow::bail!("{} has no page that could be audited: {reason}", audit.site_url);
    }
    write(&args, &audit)?;
    Ok(if fails(args.fail_on, &audit) { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

/// Audits a site without a report for people, and returns the report for programs.
pub(super) async fn audit_site(
    url: Url,
    mode: CrawlMode,
    max_pages: usize,
    browser: Arc<dyn Renderer>,
    context: &Context,
) -> anyhow::Result<Value> {
    let mut options = AuditOptions::follow(url.clone());
    options.mode = mode;
    options.max_pages = max_pages;
    options.renders = true;
    options.renders_at_once = options.renders_at_once.min(context.config.render_concurrency());
    options.sitemap_limits = context.config.limits.of_sitemaps();
    options.agent = USER_AGENT.split('/').next().unwrap_or_default().to_owned();
    let (network, agent) = (context.network()?, http::HeaderValue::from_static(USER_AGENT));
    let source = NetworkSource::new(network.clone(), agent, Vec::new(), &url, Some(browser), context);
    let audit = on_its_own_thread(source, options, ProgressBar::hidden()).await?;
    if audit.status == AuditStatus::Unreachable {
        let refusal = refusal(&network, &url).await;
        anyhow::bail!("{}", refusal.or(audit.error_message).unwrap_or_default());
    }
    let mut report = Vec::new();
    report::write_json(&audit, &mut report)?;
    Ok(serde_json::from_slice(&report)?)
}

/// Runs an audit with its connections and checks on one thread: on several threads they would wake each other for every page.
/// See docs/decisions/0160.
async fn on_its_own_thread(
    source: NetworkSource,
    options: AuditOptions,
    bar: ProgressBar,
) -> anyhow::Result<Audit> {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut progress = |progress: AuditProgress| {
            bar.set_length((progress.pages + progress.waiting) as u64);
            bar.set_position(progress.pages as u64);
            if progress.probes > 0 {
                let left = progress.probes;
                bar.set_message(format!(
                    "; {left} pictures, scripts and links to other hosts are still asked for"
                ));
            }
        };
        let audit = runtime.block_on(audit(&source, &options, &mut progress));
        bar.finish_and_clear();
        Ok(audit)
    };
    tokio::task::spawn_blocking(run).await.context("the audit ended early")?
}

/// Explains why a site's address is refused, with the remedy. Returns `None` when it is not.
async fn refusal(network: &Network, site: &Url) -> Option<String> {
    let port = site.port_or_known_default().unwrap_or_default();
    let error = network.resolve(site.host_str()?, port).await.err().filter(NetworkError::is_refused)?;
    Some(format!("{error}; network.allow_private names the private networks that may be asked"))
}

fn write(args: &Args, audit: &Audit) -> anyhow::Result<()> {
    if let Some(path) = &args.html {
        write_file(path, |to| html::write(audit, to))?;
    }
    let write = |to: &mut dyn Write| match args.format {
        Format::Table => to.write_all(report::table(audit).as_bytes()),
        // In pieces: the report of a large site is larger than the data in memory.
        Format::Json => report::write_json(audit, to),
        Format::Csv => to.write_all(report::csv(audit).as_bytes()),
        Format::Html => html::write(audit, to),
    };
    match &args.out {
        Some(path) => write_file(path, write),
        None => output::stream(write).map(drop),
    }
}

fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> anyhow::Result<()> {
    let written = File::create(path).map(|file| BufWriter::with_capacity(WRITTEN_AT_ONCE, file)).and_then(
        |mut file| {
            write(&mut file)?;
            file.flush()
        },
    );
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn options(args: &Args, context: &Context) -> anyhow::Result<AuditOptions> {
    let url = args.url.as_deref().unwrap_or_default();
    let url: Url = crawler::url::parse_target(url, context.config.limits.url_bytes)
        .map_err(|error| BadUsage(format!("{url:?}: {error}")))?;
    if args.rps.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) || args.max_pages == 0 {
        return Err(BadUsage("--rps and --max-pages take numbers above 0".to_owned()).into());
    }
    let mut options = AuditOptions::follow(url.clone());
    let is_sitemap =
        url.path().ends_with(".xml") || url.path().ends_with(".xml.gz") || url.path().ends_with(".txt");
    options.mode = match args.mode {
        ModeName::Follow => CrawlMode::Follow,
        ModeName::Sitemap => CrawlMode::Sitemap,
        ModeName::Selected => CrawlMode::Selected,
    };
    options.sitemap = (options.mode == CrawlMode::Sitemap && is_sitemap).then_some(url);
    options.sitemap_limits = context.config.limits.of_sitemaps();
    options.max_pages = args.max_pages;
    options.renders = !args.no_js;
    options.renders_at_once = options.renders_at_once.min(context.config.render_concurrency());
    options.requests_per_second = args.rps;
    options.allow_sampling = args.sample;
    options.max_assets = args.max_assets;
    options.max_depth = args.max_depth;
    options.drop_parameters.clone_from(&args.drop_parameter);
    options.agent = args.user_agent.split(['/', ' ']).next().unwrap_or_default().to_owned();
    options.extractions = rules::extractions(&args.extract)?;
    options.searches = rules::searches(&args.search)?;
    options.thresholds = rules::thresholds(&args.threshold)?;
    options.include.clone_from(&args.include);
    options.exclude.clone_from(&args.exclude);
    for id in &args.enable {
        options.checks.push(find_check(id)?);
    }
    for id in &args.disable {
        let check = find_check(id)?;
        options.checks.retain(|other| *other != check);
    }
    options.checks.sort_unstable();
    options.checks.dedup();
    Ok(options)
}

fn find_check(id: &str) -> Result<CheckId, BadUsage> {
    CheckId::find(id).ok_or_else(|| {
        let distance = |known: &CheckId| strsim::levenshtein(known.check().id, &id.to_ascii_uppercase());
        let nearest = CheckId::all().min_by_key(distance).map_or("", |known| known.check().id);
        BadUsage(format!("there is no check {id:?}; did you mean {nearest}?"))
    })
}

fn parse_header(header: &str) -> Result<(http::HeaderName, http::HeaderValue), BadUsage> {
    let parts = header.split_once(':');
    let parsed =
        parts.and_then(|(name, value)| Some((name.trim().parse().ok()?, value.trim().parse().ok()?)));
    // The value may be a secret, so it is not repeated.
    parsed.ok_or_else(|| BadUsage("--header takes 'Name: value'".to_owned()))
}

fn fails(fail_on: FailOn, audit: &Audit) -> bool {
    let least = match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Notice => Severity::Notice,
        FailOn::Never => return false,
    };
    let found = audit.issue_breakdown.keys().filter_map(|id| CheckId::find(id));
    found.into_iter().any(|check| check.check().severity >= least)
}

#[cfg(test)]
mod tests;
