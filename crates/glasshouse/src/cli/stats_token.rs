//! `glasshouse stats-token …`: the public token of a domain's crawl statistics.

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;

use super::domain_target::DomainTarget;
use super::{Context, output};

/// Shares crawl statistics.
#[derive(Subcommand)]
pub enum Command {
    /// Makes the public token of a domain and prints it, once, alone on stdout; the one before it ends
    Create(DomainTarget),
    /// Ends the public token of a domain
    Revoke(DomainTarget),
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    let app = context.app().await?;
    match command {
        Command::Create(target) => {
            let domain = target.find(&app).await?;
            output::line(app.analytics.create_token(&domain.id).await?.reveal())
        }
        Command::Revoke(target) => {
            let domain = target.find(&app).await?;
            if !app.analytics.revoke_token(&domain.id).await? {
                bail!("{} has no public token", domain.host);
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}
