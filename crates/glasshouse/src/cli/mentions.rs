//! `glasshouse mentions …`: monitoring of AI assistants, on the database of the service, which may be running.

use std::process::ExitCode;

use clap::Subcommand;

use super::domain_target::DomainTarget;
use super::{Context, output};

#[derive(Subcommand)]
pub enum Command {
    /// Analyses the kept answers of a domain again, in the background of the service; asks no model
    Reanalyse {
        #[command(flatten)]
        target: DomainTarget,
    },
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    match command {
        Command::Reanalyse { target } => reanalyse(&target, context).await,
    }
}

async fn reanalyse(target: &DomainTarget, context: &Context) -> anyhow::Result<ExitCode> {
    let app = context.app().await?;
    let domain = target.find(&app).await?;
    match app.mentions.reanalysis.restart(&domain.id).await? {
        None | Some(0) => output::line(&format!("{} has no answers yet.", domain.host)),
        Some(total) => output::line(&format!(
            "{total} answers of {} will be analysed again by the running service.",
            domain.host
        )),
    }
}
