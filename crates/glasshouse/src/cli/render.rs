//! `glasshouse render URL`: one page without a server, as a crawler would get it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use browser::{RedirectHop, RenderLimits, RenderRequest, Rendered, Renderer, describe_problems};
use serde_json::json;
use url::Url;

use super::{BadUsage, Context, output};
use render::emptiness::why_empty;

/// Options of a render and of its output.
#[derive(clap::Args)]
pub struct Args {
    /// Absolute http or https address
    url: String,
    /// Prints status, redirects, final URL, headers, timings, console, blocked and failed requests and HTML as JSON
    #[arg(long)]
    json: bool,
    /// Form in which the page is printed; with --json, Markdown stands beside the HTML
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,
    /// Seconds after which the page is taken as it stands [default: render.timeout_ms]
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,
    /// Writes to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Form of a printed page.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Html,
    Markdown,
}

/// Runs the command. Exit code 0 when a page was rendered, whatever its status.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let config = &context.config;
    let url = crawler::url::parse_target(&args.url, config.limits.url_bytes)
        .map_err(|error| BadUsage(format!("{:?}: {error}", args.url)))?;
    let timeout = match args.timeout {
        None => config.render_timeout(),
        Some(seconds) if seconds > 0.0 && seconds <= 3_600.0 => Duration::from_secs_f64(seconds),
        Some(_) => return Err(BadUsage("--timeout takes seconds between 0 and 3600".to_owned()).into()),
    };
    // Not in the data folder: this command needs no installation.
    let folder = tempfile::tempdir().context("cannot make a temporary folder for the browser")?;
    let browser = context.browser(context.network()?, folder.path());
    let rendered = render(&*browser, url, timeout, context).await;
    browser.shutdown().await;
    let rendered = rendered?;
    let problems = why_empty(&rendered.final_url, &rendered.html, &rendered.failed, &rendered.console);
    if !problems.is_empty() {
        output::note(&format!("the page shows next to nothing: {}", problems.join("; ")));
    }
    let markdown = match args.format {
        Format::Html => None,
        Format::Markdown => Some(markdown::convert(&rendered.html, &rendered.final_url).text),
    };
    let text = match markdown {
        markdown if args.json => as_json(&rendered, markdown)?,
        Some(markdown) => markdown,
        None => rendered.html,
    };
    match args.out {
        Some(path) => {
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(ExitCode::SUCCESS)
        }
        None => output::bytes(text.as_bytes()),
    }
}

/// Renders, following the redirects of the origin and of the page. Returns all of them, and the first response.
pub(super) async fn render(
    browser: &dyn Renderer,
    mut url: Url,
    timeout: Duration,
    context: &Context,
) -> anyhow::Result<Rendered> {
    let limits = &context.config.limits;
    let mut first_status = None;
    let mut hops: Vec<RedirectHop> = Vec::new();
    for _ in 0..=limits.redirects {
        let request = RenderRequest {
            url: url.clone(),
            tenant: "command".to_owned(),
            route: None,
            own_headers: None,
            timeout,
            wait_for_selector: None,
            blocked_urls: Vec::new(),
            limits: RenderLimits {
                page_bytes: limits.page_bytes,
                html_bytes: limits.html_bytes,
                redirects: limits.redirects,
            },
            inspect: false,
            slot: None,
        };
        let mut rendered = browser.render(request).await?;
        let first_status = *first_status.get_or_insert(rendered.first_status);
        let Some(location) = &rendered.location else {
            hops.append(&mut rendered.hops);
            return Ok(Rendered { first_status, hops, ..rendered });
        };
        let hop = RedirectHop { url: url.into(), status: rendered.status, location: location.clone() };
        hops.push(hop);
        url = crawler::url::parse_target(location, limits.url_bytes)
            .with_context(|| format!("a redirect leads to {location:?}"))?;
    }
    anyhow::bail!("gave up after {} redirects, at {url} (limits.redirects)", limits.redirects)
}

fn as_json(rendered: &Rendered, markdown: Option<String>) -> anyhow::Result<String> {
    let headers: Vec<_> = rendered
        .headers
        .iter()
        .map(|(name, value)| json!({ "name": name.as_str(), "value": String::from_utf8_lossy(value.as_bytes()) }))
        .collect();
    let mut report = json!({
        "status": rendered.status,
        "firstStatus": rendered.first_status,
        "hops": rendered.hops,
        "finalUrl": rendered.final_url,
        "headers": headers,
        "partial": rendered.partial,
        "html": rendered.html,
        "timings": rendered.timings,
        "console": rendered.console,
        "blocked": rendered.blocked,
        "failed": rendered.failed,
        "problems": describe_problems(&rendered.final_url, &rendered.failed, &rendered.console),
    });
    if let Some(markdown) = markdown {
        report["markdown"] = markdown.into();
    }
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
