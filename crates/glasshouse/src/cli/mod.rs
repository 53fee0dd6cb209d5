//! The `glasshouse` command. Each command has a file; this one reads the arguments and reports errors.
//! Must never print a secret that the command was not asked for.

mod account;
mod analytics;
mod apply;
mod ask;
mod audit;
mod backup;
mod config;
mod context;
mod crawlers;
mod doctor;
mod domain;
mod domain_target;
mod jobs;
mod key;
mod mcp;
mod mentions;
mod migrate;
mod openapi;
mod output;
mod owner;
mod reference;
mod render;
mod serve;
mod stats_token;
mod up;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, CommandFactory, Parser, Subcommand};
use crawler::errors::one_line;

pub use context::Context;
pub use output::{Output, table};

/// What crawlers and AI see of your site.
#[derive(Parser)]
#[command(name = "glasshouse", version, about, propagate_version = true)]
struct Cli {
    /// Settings file [default: glasshouse.toml in the working folder, when there is one]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Writes more on stderr; twice: everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Writes nothing but errors on stderr
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Starts the service: API, dashboard, edge and background work
    Serve,
    /// Makes settings, account, key and domain where they are missing, starts the service and says when crawlers get pages
    Up(up::Args),
    /// Renders one page without a server, HTML on stdout
    Render(render::Args),
    /// Audits a site without a server
    Audit(Box<audit::Args>),
    /// Asks a site as a crawler and as a person, and says whether crawlers get pages and people the app
    Verify(verify::Args),
    /// Asks AI assistants without a server what they say of a brand
    Ask(Box<ask::Args>),
    /// Offers the tools for AI agents on stdin and stdout, by the Model Context Protocol
    Mcp(mcp::Args),
    /// Manages accounts
    #[command(subcommand)]
    Account(account::Command),
    /// Manages API keys
    #[command(subcommand)]
    Key(key::Command),
    /// Manages domains
    #[command(subcommand)]
    Domain(domain::Command),
    /// Makes domains and all their settings what a file says, or writes such a file
    Apply(apply::Args),
    /// Records visits of crawlers that other web servers saw
    #[command(subcommand)]
    Analytics(analytics::Command),
    /// Monitors AI assistants
    #[command(subcommand)]
    Mentions(mentions::Command),
    /// Writes the crawler list in the form that an integration reads
    Crawlers(crawlers::Args),
    /// Shares crawl statistics by a public token
    #[command(subcommand, name = "stats-token")]
    StatsToken(stats_token::Command),
    /// Shows background work, and what gave up
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Writes everything that the service keeps into one file, while it runs
    Backup(backup::BackupArgs),
    /// Reads a backup into an empty installation, whose service must not run
    Restore(backup::RestoreArgs),
    /// Checks browser, data folder, database, object store, DNS, AI providers and addresses, and says how to repair them
    Doctor(doctor::Args),
    /// Shows the effective settings, secrets masked
    Config(config::Args),
    /// Prints the OpenAPI document
    Openapi,
    /// Prints the reference of all commands, in Markdown
    Commands,
    /// Brings the database's schema up to date
    Migrate,
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Reads the arguments, runs the command and turns its outcome into an exit code: 0, 1 failure, 2 bad usage.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            output::error(&usage_line(&error));
            return ExitCode::from(2);
        }
        Err(help) => {
            // Help and version. A closed pipe is not an error.
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
    };
    // Both TLS stacks in this process (ours and the object store's) use the same cryptography.
    crawler::tls::install_provider();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::error(&format!("cannot start threads: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(dispatch(cli));
    // Resources that a command leaves open (an idle connection) must not keep the process alive.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::error(&one_line(error.as_ref()));
            let code = if error.is::<BadUsage>() { 2 } else { 1 };
            ExitCode::from(code)
        }
    }
}

async fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let level = match (cli.quiet, cli.verbose) {
        (true, _) => Some("error"),
        (_, 0) => None,
        (_, 1) => Some("debug,hyper=info,sqlx=info,h2=info"),
        (_, _) => Some("trace"),
    };
    if let Command::Completions { shell } = cli.command {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "glasshouse", &mut text);
        return output::bytes(&text);
    }
    if matches!(cli.command, Command::Commands) {
        return output::bytes(reference::describe(&Cli::command()).as_bytes());
    }
    let is_server = matches!(cli.command, Command::Serve | Command::Up(_));
    let config = match &cli.command {
        Command::Up(args) => Some(up::prepare(args, cli.config)?),
        _ => cli.config,
    };
    let settings = platform::config::Config::load(config.as_deref())?;
    // Only the command's own output by default; messages of libraries on request.
    let telemetry =
        platform::telemetry::start(&settings.telemetry, level.or((!is_server).then_some("warn")))?;
    if !settings.ignored_variables().is_empty() {
        let variables = settings.ignored_variables().join(", ");
        tracing::warn!(
            variables,
            "no settings, since two underscores are missing after GLASSHOUSE_: ignored"
        );
    }
    let context = Context::new(settings);
    let outcome = match cli.command {
        Command::Serve => serve::run(context, None).await,
        Command::Up(args) => up::run(args, context).await,
        Command::Render(args) => render::run(args, &context).await,
        Command::Audit(args) => audit::run(*args, &context).await,
        Command::Verify(args) => verify::run(args, &context).await,
        Command::Mcp(args) => mcp::run(args, &context).await,
        Command::Ask(args) => ask::run(*args, &context).await,
        Command::Account(command) => account::run(command, &context).await,
        Command::Key(command) => key::run(command, &context).await,
        Command::Domain(command) => domain::run(command, &context).await,
        Command::Apply(args) => apply::run(args, &context).await,
        Command::Analytics(command) => analytics::run(command, &context).await,
        Command::Mentions(command) => mentions::run(command, &context).await,
        Command::Crawlers(args) => crawlers::run(&args),
        Command::StatsToken(command) => stats_token::run(command, &context).await,
        Command::Jobs(command) => jobs::run(command, &context).await,
        Command::Backup(args) => backup::backup(args, &context).await,
        Command::Restore(args) => backup::restore(args, &context).await,
        Command::Doctor(args) => doctor::run(&args, &context).await,
        Command::Config(args) => config::run(&args, &context),
        Command::Openapi => openapi::run(&context),
        Command::Migrate => migrate::run(&context).await,
        Command::Commands | Command::Completions { .. } => Ok(ExitCode::SUCCESS),
    };
    telemetry.flush().await;
    outcome
}

/// Invalid arguments that the parser cannot detect: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUsage(pub String);

/// Joins clap's message of several lines into one.
fn usage_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let message =
        text.split("\n\nUsage:").next().unwrap_or_default().split("\n\nFor more").next().unwrap_or_default();
    let message = message.trim_start_matches("error: ");
    let words: Vec<&str> = message.split_whitespace().collect();
    format!("{}; see `glasshouse --help`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_reference_of_the_commands_is_current() {
        let written = include_str!("../../../../docs/commands.md");

        let reference = reference::describe(&Cli::command());

        assert!(written == reference, "write it anew: glasshouse commands > docs/commands.md");
    }

    #[test]
    fn an_unknown_form_of_the_crawler_list_is_answered_with_the_right_ones() {
        let error = Cli::try_parse_from(["glasshouse", "crawlers", "--format", "iis"]).map(drop).unwrap_err();

        let line = usage_line(&error);

        assert_eq!(
            line,
            "invalid value 'iis' for '--format <FORMAT>' [possible values: json, regex, nginx, apache, caddy, markdown]; see `glasshouse --help`"
        );
    }

    #[test]
    fn bad_usage_is_one_line() {
        let error = Cli::try_parse_from(["glasshouse", "key", "create"]).map(drop).unwrap_err();

        let line = usage_line(&error);

        assert_eq!(
            line,
            "the following required arguments were not provided: --account <E>; see `glasshouse --help`"
        );
    }
}
