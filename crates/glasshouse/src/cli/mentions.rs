//! `glasshouse mentions …`: monitoring of AI assistants, on the database of the service, which may be running.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Subcommand;

use super::domain_target::DomainTarget;
use super::{Context, output};
use domains::DomainStatus;
use mentions::service::analysing::reanalysis::restart_reanalysis;
use mentions::service::prompts::{PromptOwner, file::read_prompts, import_prompts};

#[derive(Subcommand)]
pub enum Command {
    /// Creates prompts from a file; a text that the domain has already is skipped
    Import {
        #[command(flatten)]
        target: DomainTarget,
        /// CSV with a head (promptText, intent, providers, monitorInterval, tags, active, personaLocation), or one JSON object a
        /// line; `-`: standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Analyses the kept answers of a domain again, in the background of the service; asks no model
    Reanalyse {
        #[command(flatten)]
        target: DomainTarget,
    },
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    match command {
        Command::Import { target, file } => import(&target, &file, context).await,
        Command::Reanalyse { target } => reanalyse(&target, context).await,
    }
}

async fn reanalyse(target: &DomainTarget, context: &Context) -> anyhow::Result<ExitCode> {
    let app = context.app().await?;
    let domain = target.find(&app).await?;
    match restart_reanalysis(&app.mentions, &domain.id).await? {
        None | Some(0) => output::line(&format!("{} has no answers yet.", domain.host)),
        Some(total) => output::line(&format!(
            "{total} answers of {} will be analysed again by the running service.",
            domain.host
        )),
    }
}

/// Imports prompts. Exit code 1 when a prompt was refused; the others are created.
async fn import(target: &DomainTarget, file: &Path, context: &Context) -> anyhow::Result<ExitCode> {
    let list = read_prompts(&read_text(file)?).with_context(|| file.display().to_string())?;
    let app = context.app().await?;
    let domain = target.find(&app).await?;
    let account = app.accounts.find_account(&domain.account_id).await?;
    let account = account.context("the account of the domain is gone")?;
    if !account.active {
        bail!("the account {} is inactive; `glasshouse account activate` changes that", account.email);
    }
    if domain.status == DomainStatus::Suspended {
        bail!("{} is suspended; `glasshouse domain resume` ends that", domain.host);
    }
    let (lines, prompts): (Vec<_>, Vec<_>) = list
        .into_iter()
        .map(|entry| ((entry.line, entry.prompt.as_ref().err().cloned()), entry.prompt.ok()))
        .unzip();
    let owner = PromptOwner { account: &account.id, plan: account.plan };
    let outcome = import_prompts(&app.mentions, owner, &domain, prompts).await?;
    for refused in &outcome.refused {
        let (line, problem) = &lines[refused.index];
        output::note(&format!("line {line}: {}", problem.as_deref().unwrap_or(refused.error)));
    }
    output::line(&format!(
        "{} prompts created, {} questions queued, {} skipped, {} refused",
        outcome.created,
        outcome.queued,
        outcome.skipped,
        outcome.refused.len()
    ))?;
    Ok(if outcome.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_text(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    }
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", file.display()))
}
