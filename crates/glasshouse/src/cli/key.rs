//! `glasshouse key …`: API keys.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};

use super::{Context, Output, output, table};
use crate::app::AppState;
use accounts::model::{ApiKeyInfo, Email};
use accounts::{Account, KeyId};

/// Manages API keys.
#[derive(Subcommand)]
pub enum Command {
    /// Makes an API key and prints it, once, alone on stdout
    Create(CreateKey),
    /// Lists the keys of an account, the revoked ones too
    List {
        /// E-mail address of the account
        #[arg(long, value_name = "E")]
        account: Email,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Revokes a key
    Revoke {
        /// Id of the key, as `key list` shows it
        #[arg(value_name = "KEY_ID")]
        id: String,
    },
}

/// A new key.
#[derive(Args)]
pub struct CreateKey {
    /// E-mail address of the account
    #[arg(long, value_name = "E")]
    account: Email,
    /// Restricts the key to one of the account's domains
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// Name of the key
    #[arg(long, value_name = "N", default_value = "")]
    name: String,
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    match command {
        Command::Create(CreateKey { account, domain, name }) => {
            let app = context.app().await?;
            let account = app.accounts.get_account(&account).await?;
            let domain = match domain {
                Some(domain) => Some(owned(&app, &account, &domain).await?),
                None => None,
            };
            let (key, _) = app.accounts.create_key(&account.id, &name, domain).await?;
            output::line(key.reveal())
        }
        Command::List { account, json } => {
            let (accounts, account) = context.account(&account).await?;
            let keys = accounts.list_keys(&account.id).await?;
            if json {
                return Output::Json(keys).print();
            }
            let headings = ["id", "name", "domain", "last4", "created", "last used", "revoked"];
            output::line(&table(&headings, keys.into_iter().map(row).collect()))
        }
        Command::Revoke { id } => {
            let accounts = context.accounts().await?;
            if !accounts.revoke_key(None, &KeyId::from(id.as_str())).await? {
                bail!("there is no key {id}; `glasshouse key list --account E` shows the ids");
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Finds the canonical name of one of the account's domains.
async fn owned(app: &AppState, account: &Account, domain: &str) -> anyhow::Result<String> {
    let found = app.domains.find_typed(&account.id, domain).await?;
    found.map(|found| found.host).with_context(|| {
        format!("the account {} has no domain {domain}; `glasshouse domain list` shows them", account.email)
    })
}

fn row(key: ApiKeyInfo) -> Vec<String> {
    let time =
        |time: Option<platform::clock::Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
    vec![
        key.id.to_string(),
        key.name,
        key.domain.unwrap_or("(all)".to_owned()),
        key.last4,
        key.created_at.to_string(),
        time(key.last_used_at),
        time(key.revoked_at),
    ]
}
