//! `glasshouse key …`: API keys.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};

use super::{Context, Output, output, table};
use crate::app::AppState;
use accounts::model::{ApiKeyInfo, Email, KeyAccess, KeyOrder};
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
    /// Time after which the key stops working: 90d, 12h or 30m
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    expires: Option<Duration>,
    /// Makes a key that changes nothing; it renders as an integration does
    #[arg(long)]
    read_only: bool,
}

/// Parses a time such as 90d.
fn lifetime(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time such as 90d, 12h or 30m");
    let unit = match text.chars().last() {
        Some('d') => 24 * 3600,
        Some('h') => 3600,
        Some('m') => 60,
        _ => return Err(wrong()),
    };
    // A century: the database's times end long after it.
    let most = 36_500 * 24 * 3600;
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(unit).filter(|seconds| (1..=most).contains(seconds));
    seconds.map(Duration::from_secs).ok_or_else(wrong)
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    match command {
        Command::Create(CreateKey { account, domain, name, expires, read_only }) => {
            let app = context.app().await?;
            let account = app.accounts.get_account(&account).await?;
            let domain = match domain {
                Some(domain) => Some(owned(&app, &account, &domain).await?),
                None => None,
            };
            let order = KeyOrder {
                expires_at: expires.map(|time| context.clock.now().plus(time)),
                access: if read_only { KeyAccess::Read } else { KeyAccess::Write },
                ..KeyOrder::named(&name, domain)
            };
            let (key, _) = app.accounts.create_key(&account.id, order).await?;
            output::line(key.reveal())
        }
        Command::List { account, json } => {
            let (accounts, account) = context.account(&account).await?;
            let keys = accounts.list_keys(&account.id).await?;
            if json {
                return Output::Json(keys).print();
            }
            let headings = [
                "id",
                "name",
                "domain",
                "access",
                "last4",
                "created",
                "by",
                "last used",
                "expires",
                "revoked",
            ];
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
        match key.access {
            KeyAccess::Read => "read".to_owned(),
            KeyAccess::Write => "write".to_owned(),
        },
        key.last4,
        key.created_at.to_string(),
        key.created_by.unwrap_or_default(),
        time(key.last_used_at),
        time(key.expires_at),
        time(key.revoked_at),
    ]
}
