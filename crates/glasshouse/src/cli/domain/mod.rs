//! `glasshouse domain …`: connected domains, by hand.

mod check;

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Subcommand;
use serde::Serialize;

use super::{BadUsage, Context, Output, output, table};
use accounts::model::Email;
use domains::model::DomainItem;
use domains::service::{AddError, Lock, NewDomain};
use domains::{Domain, DomainStatus, DomainsService, names};

/// Manages domains.
#[derive(Subcommand)]
pub enum Command {
    /// Adds a domain to an account and prints its id
    Add(Add),
    /// Lists the domains
    List {
        /// Only this account's
        #[arg(long, value_name = "E")]
        account: Option<Email>,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Checks whether a domain leads here, connects it when it does, and says what is missing otherwise
    Check(check::Args),
    /// Locks a domain: nothing is rendered for it, whichever account it is on
    Suspend {
        /// The domain
        domain: String,
    },
    /// Unlocks a domain
    Resume {
        /// The domain
        domain: String,
    },
    /// Removes a domain with its snapshots and counts; its name is free at once
    Remove {
        /// The domain
        domain: String,
        /// E-mail address of the account, when several have the domain
        #[arg(long, value_name = "E")]
        account: Option<Email>,
    },
}

/// A new domain.
#[derive(clap::Args)]
pub struct Add {
    /// The domain, such as shop.com or app.shop.com
    domain: String,
    /// E-mail address of the account
    #[arg(long, value_name = "E")]
    account: Email,
    /// Host where the site itself answers, when it is another one than the domain
    #[arg(long, value_name = "HOST")]
    origin: Option<String>,
    /// Address of the sitemap
    #[arg(long, value_name = "URL")]
    sitemap: Option<String>,
    /// connected: taken to be connected already, without a check
    #[arg(long, value_parser = parse_new_status, default_value = "pending")]
    status: DomainStatus,
}

fn parse_new_status(text: &str) -> Result<DomainStatus, String> {
    match text.parse() {
        Ok(status @ (DomainStatus::Pending | DomainStatus::Connected)) => Ok(status),
        _ => Err("use pending or connected".to_owned()),
    }
}

/// A domain as `domain list --json` shows it.
#[derive(Serialize)]
struct ListedDomain {
    #[serde(flatten)]
    item: DomainItem,
    /// E-mail address of its account.
    account: String,
}

pub async fn run(command: Command, context: &Context) -> anyhow::Result<ExitCode> {
    let service = DomainsService::on(context.database().await?, context.clock.clone(), &context.config);
    match command {
        Command::Add(add) => add_domain(add, &service, context).await,
        Command::List { account, json } => list_domains(account, json, &service, context).await,
        Command::Check(args) => check::run(args, context).await,
        Command::Suspend { domain } => set_lock(&domain, Lock::On, &service).await,
        Command::Resume { domain } => set_lock(&domain, Lock::Off, &service).await,
        Command::Remove { domain, account } => remove_domain(&domain, account, &service, context).await,
    }
}

async fn add_domain(add: Add, service: &DomainsService, context: &Context) -> anyhow::Result<ExitCode> {
    let account = context.accounts().await?.get_account(&add.account).await?;
    let limit = context.config.plan(account.plan).domains;
    let new = NewDomain {
        domain: add.domain.clone(),
        origin_host: add.origin,
        sitemap_url: add.sitemap,
        status: add.status,
    };
    match service.add(&account.id, limit, new).await {
        Ok(added) => output::line(added.domain.id.as_str()),
        Err(error @ AddError::LimitReached { .. }) => {
            bail!("{}: {error}; see `glasshouse account set-plan`", add.domain)
        }
        Err(error @ AddError::Store(_)) => Err(error.into()),
        Err(error) => bail!("{}: {error}", add.domain),
    }
}

async fn list_domains(
    account: Option<Email>,
    json: bool,
    service: &DomainsService,
    context: &Context,
) -> anyhow::Result<ExitCode> {
    let accounts = context.accounts().await?;
    let only = match account {
        Some(email) => Some(accounts.get_account(&email).await?.id),
        None => None,
    };
    let all = accounts.list_accounts().await?;
    let email_of = |domain: &Domain| {
        let owner = all.iter().find(|account| account.id == domain.account_id);
        owner.map(|account| account.email.clone()).unwrap_or_default()
    };
    let domains = service.list(only.as_ref()).await?;
    if json {
        let listed =
            domains.iter().map(|domain| ListedDomain { account: email_of(domain), item: domain.into() });
        return Output::Json(listed.collect::<Vec<_>>()).print();
    }
    let row = |domain: &Domain| {
        let item = DomainItem::from(domain);
        let status = item.status.to_string();
        vec![
            item.id.to_string(),
            item.domain,
            status,
            item.origin_host,
            email_of(domain),
            item.created_at.to_string(),
        ]
    };
    let headings = ["id", "domain", "status", "origin", "account", "added"];
    output::line(&table(&headings, domains.iter().map(row).collect()))
}

async fn set_lock(domain: &str, lock: Lock, service: &DomainsService) -> anyhow::Result<ExitCode> {
    let host = parse(domain)?;
    match service.set_suspended(&host, lock).await? {
        0 => Err(unknown(domain)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

async fn remove_domain(
    domain: &str,
    account: Option<Email>,
    service: &DomainsService,
    context: &Context,
) -> anyhow::Result<ExitCode> {
    let found = find(domain, account, service, context).await?;
    let [record] = found.as_slice() else {
        bail!("{} accounts have {domain}; say which one with --account", found.len())
    };
    // The service's worker deletes the stored data.
    service.remove(record).await?;
    Ok(ExitCode::SUCCESS)
}

/// Finds the records of a name, at least one: of one account, or of all.
async fn find(
    domain: &str,
    account: Option<Email>,
    service: &DomainsService,
    context: &Context,
) -> anyhow::Result<Vec<Domain>> {
    let mut found = service.list_by_host(&parse(domain)?).await?;
    if let Some(email) = account {
        let account = context.accounts().await?.get_account(&email).await?;
        found.retain(|domain| domain.account_id == account.id);
    }
    if found.is_empty() { Err(unknown(domain)) } else { Ok(found) }
}

fn parse(domain: &str) -> anyhow::Result<String> {
    names::parse_domain(domain).ok_or_else(|| BadUsage(format!("{domain} is not a domain name")).into())
}

fn unknown(domain: &str) -> anyhow::Error {
    anyhow!("no account has the domain {domain}; see `glasshouse domain list`")
}
