//! `glasshouse analytics …`: visits of crawlers from the logs of other web servers.

mod follow;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::{Args, Subcommand};
use flate2::bufread::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};

use super::domain_target::DomainTarget;
use super::{BadUsage, Context, output};
use analytics::import::{Import, ImportError, Imported, LogFormat};
use analytics::stores::{
    self,
    moving::{Copied, copy_day, copy_first_days},
};
use platform::config::ClickHouseUrl;

/// Bytes of a log per read.
const BUFFER_BYTES: usize = 256 * 1024;

/// Visits of crawlers that other web servers saw.
#[derive(Subcommand)]
pub enum Command {
    /// Reads a web server's access log and records its crawlers' visits; the same log never counts twice
    Import(ImportArgs),
    /// Copies what is kept of visits to another visit store; what is there already is not copied again
    Copy(CopyArgs),
}

/// Source and destination of a copy.
#[derive(Args)]
pub struct CopyArgs {
    /// Destination: `clickhouse://user:password@host:8123/db` (`clickhouses://` with TLS), or `database` for the service's own
    #[arg(long, value_name = "URL")]
    to: String,
    /// Source; the store of the settings unless given
    #[arg(long, value_name = "URL")]
    from: Option<String>,
}

/// Log to import.
#[derive(Args)]
pub struct ImportArgs {
    #[command(flatten)]
    target: DomainTarget,
    /// Format of the log
    #[arg(long, value_enum, default_value = "auto")]
    format: LogFormat,
    /// The log, plain or gzip; `-`: standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Keeps reading appended lines, also after a rotation of the log, until it is interrupted
    #[arg(long)]
    follow: bool,
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    match command {
        Command::Import(args) => import(args, context).await,
        Command::Copy(args) => copy(args, context).await,
    }
}

/// Copies day by day. A second call continues where the first one ended.
async fn copy(CopyArgs { to, from }: CopyArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let to = store_url("--to", &to)?;
    let from = match from {
        Some(from) => store_url("--from", &from)?,
        None => context.config.analytics.store_url.clone(),
    };
    if from == to {
        return Err(BadUsage("--to names the store that is copied from".into()).into());
    }
    let app = context.app().await?;
    let [from, to] = [from, to].map(|url| stores::open_at(url, &app.platform));
    from.check().await.context("cannot read the visits")?;
    to.check().await.context("cannot write to the other visit store")?;
    let (mut days, mut copied) = (Vec::new(), Copied::default());
    for domain in app.domains.list(None).await? {
        let mut of_domain = from.list_days(&domain.id).await?;
        of_domain.sort_unstable();
        days.extend(of_domain.into_iter().map(|day| (domain.id.clone(), day)));
    }
    let bar = ProgressBar::new(days.len() as u64);
    let style = "{bar:40} {pos} of {len} days, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).expect("a template that a test reads"));
    let mut begun = None;
    for (domain, day) in days {
        if begun.as_ref() != Some(&domain) {
            copy_first_days(&*from, &*to, &domain).await?;
            begun = Some(domain.clone());
        }
        copied += copy_day(&*from, &*to, &domain, day).await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let Copied { written, same, different } = copied;
    output::line(&format!(
        "{written} days copied, {same} were there already; {different} have visits there that are not here, and were left alone"
    ))?;
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Parses the address of a visit store. Returns `None` for the database.
fn store_url(option: &str, text: &str) -> anyhow::Result<Option<ClickHouseUrl>> {
    match text {
        "database" => Ok(None),
        text => match text.parse() {
            Ok(url) => Ok(Some(url)),
            Err(error) => Err(BadUsage(format!("{option} {error}, or be `database`")).into()),
        },
    }
}

async fn import(args: ImportArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let ImportArgs { target, format, file, follow } = args;
    let is_stdin = file == Path::new("-");
    if follow && is_stdin {
        return Err(BadUsage("--follow needs a file: standard input is read to its end anyway".into()).into());
    }
    let app = context.app().await?;
    let domain = target.find(&app).await?;
    let start = || Import::new(&app.platform, app.visits.clone(), domain.clone(), format);
    let imported = if is_stdin {
        read_all(&mut plain(io::stdin())?, start()).await
    } else if follow {
        follow::follow_log(&file, start).await
    } else {
        read_file(&file, start()).await
    };
    output::line(&summary(imported.map_err(|error| other_format(&file, format, error))?))
}

/// Names in the error the format that the log seems to have.
fn other_format(file: &Path, format: LogFormat, error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(ImportError::OtherFormat { lines, form }) => {
            let form = form.map(|form| format!("; they look like `{}`", form.name())).unwrap_or_default();
            let file = file.display();
            match format {
                LogFormat::Auto => anyhow!("no line of {file} is in a known format ({lines} were read)"),
                _ => anyhow!(
                    "no line of {file} is in this format; choose another --format ({lines} were read{form})"
                ),
            }
        }
        _ => error,
    }
}

async fn read_all(log: &mut impl BufRead, mut import: Import) -> anyhow::Result<Imported> {
    import.read(log).await?;
    Ok(import.finish().await?)
}

/// Imports one file from its start to its end, with a progress bar on a terminal.
async fn read_file(file: &Path, import: Import) -> anyhow::Result<Imported> {
    let opened = open(file)?;
    let bar = ProgressBar::new(opened.metadata()?.len());
    let style = "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).expect("a template that a test reads"));
    let imported = read_all(&mut plain(bar.wrap_read(opened))?, import).await;
    bar.finish_and_clear();
    imported
}

fn open(file: &Path) -> anyhow::Result<File> {
    File::open(file).with_context(|| format!("cannot open {}", file.display()))
}

/// Opens a log as text, whether or not it is compressed.
fn plain(log: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut log = BufReader::with_capacity(BUFFER_BYTES, log);
    if is_compressed(&mut log)? {
        return Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(log))));
    }
    Ok(Box::new(log))
}

fn is_compressed(log: &mut impl BufRead) -> io::Result<bool> {
    Ok(log.fill_buf()?.starts_with(&[0x1f, 0x8b]))
}

fn summary(imported: Imported) -> String {
    let Imported { lines, visits, spoofed, expired, lines_known, lines_unreadable, lines_of_others, .. } =
        imported;
    let mut text = format!(
        "{visits} visits from {lines} lines; {lines_known} lines were counted before, {lines_unreadable} are not of this format, \
         {lines_of_others} are of other hosts"
    );
    for (count, those) in [
        (spoofed, "more of impostors are kept apart as spoofed"),
        (expired, "more are of days to come, or not kept any more (analytics.keep_days)"),
    ] {
        if count > 0 {
            text.push_str(&format!("; {count} {those}"));
        }
    }
    for (count, those) in [
        (imported.lines_without_host, "name no host and count as the domain's"),
        (imported.lines_without_address, "name no client address, so that their crawlers are not verified"),
    ] {
        if count > 0 {
            text.push_str(&format!("; {count} lines {those}"));
        }
    }
    if let Some(format) = imported.format {
        text.push_str(&format!("; read as `{}`", format.name()));
    }
    text
}
