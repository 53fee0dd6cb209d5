//! `glasshouse apply FILE`: makes an account's domains what a file says, and writes such a file. Works on the database of the
//! service, which may be running. Each domain is one transaction.
//! See docs/decisions/0543.

mod account;
mod difference;
mod file;
mod tables;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use crawler::errors::one_line;
use serde_json::Value;
use store::Enclosure;

use self::account::{AccountDomains, Unlisted};
use self::difference::differences;
use self::file::{FileFormat, WantedDomain};
use super::owner::create_owner;
use super::{Context, output};
use crate::unrendered::Unrendered;
use accounts::Account;
use accounts::model::Email;

/// Exit code when `--diff` finds a difference.
const FOUND: u8 = 3;

/// File, and what is done with it.
#[derive(clap::Args)]
pub struct Args {
    /// TOML or JSON file with the domains, `-`: standard input; with --export the file to write, standard output without one
    #[arg(value_name = "FILE", required_unless_present = "export")]
    file: Option<PathBuf>,
    /// E-mail address of the account, when there are several
    #[arg(long, value_name = "E")]
    account: Option<Email>,
    /// Writes the file: every domain of the account with all settings, JSON when its name ends in .json, else TOML
    #[arg(long, conflicts_with_all = ["diff", "prune"])]
    export: bool,
    /// Shows what would change and changes nothing; exits with 3 when something would
    #[arg(long)]
    diff: bool,
    /// Removes what the file does not name: domains, and prompts of domains whose prompts it lists
    #[arg(long)]
    prune: bool,
}

/// Runs the command. Exit code 0; 1 when a domain was refused; 3 when `--diff` found a difference.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    if args.export { export(&args, context).await } else { apply(&args, context).await }
}

async fn export(args: &Args, context: &Context) -> anyhow::Result<ExitCode> {
    let account = find_account(args, context).await?.context(NO_ACCOUNT)?;
    let domains = AccountDomains::new(&context.app().await?, account);
    let mut exported = Vec::new();
    for domain in domains.list().await? {
        exported.push((domain.host.clone(), domains.read(&domain.host).await?));
    }
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let is_json = path.and_then(Path::extension).is_some_and(|extension| extension == "json");
    let text = file::write(exported, if is_json { FileFormat::Json } else { FileFormat::Toml })?;
    let Some(path) = path else { return output::bytes(text.as_bytes()) };
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

async fn apply(args: &Args, context: &Context) -> anyhow::Result<ExitCode> {
    let path = args.file.clone().unwrap_or_default();
    let wanted = file::read(&read_text(&path)?).with_context(|| path.display().to_string())?;
    if args.prune && wanted.is_empty() {
        bail!("{} names no domain, and --prune would remove every one", path.display());
    }
    let account = match find_account(args, context).await? {
        Some(account) => account,
        None if args.diff => bail!(NO_ACCOUNT),
        None => {
            create_owner(&context.accounts().await?, None, &context.config.public_url()).await?;
            find_account(args, context).await?.context(NO_ACCOUNT)?
        }
    };
    let enclosure = context.database().await?.enclosure();
    let app = context.app_on(enclosure.db().clone(), Arc::new(Unrendered))?;
    let apply = Apply {
        domains: AccountDomains::new(&app, account),
        enclosure,
        is_trial: args.diff,
        unlisted: if args.prune { Unlisted::Remove } else { Unlisted::Keep },
    };
    let counts = apply.all(&wanted).await?;
    let Counts { added, changed, removed, unchanged, failed } = counts;
    let is_different = added + changed + removed > 0;
    if !args.diff {
        output::line(&format!("{added} added, {changed} changed, {removed} removed, {unchanged} unchanged"))?;
    } else if !is_different && failed == 0 {
        output::line("no difference")?;
    }
    Ok(match (failed, args.diff && is_different) {
        (1.., _) => ExitCode::FAILURE,
        (0, true) => ExitCode::from(FOUND),
        (0, false) => ExitCode::SUCCESS,
    })
}

const NO_ACCOUNT: &str = "there is no account yet; `glasshouse account create` makes one";

/// Finds the account of the command: the named one, or the only one. None: there is no account at all.
async fn find_account(args: &Args, context: &Context) -> anyhow::Result<Option<Account>> {
    let accounts = context.accounts().await?;
    if let Some(email) = &args.account {
        return Ok(Some(accounts.get_account(email).await?));
    }
    let mut all = accounts.list_accounts().await?;
    match all.len() {
        0 | 1 => Ok(all.pop()),
        several => bail!("there are {several} accounts; say which with --account E"),
    }
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Numbers of domains by their outcome.
#[derive(Default)]
struct Counts {
    added: usize,
    changed: usize,
    removed: usize,
    unchanged: usize,
    failed: usize,
}

/// Outcome of a domain.
enum Outcome {
    Added(Vec<String>),
    Changed(Vec<String>),
    Unchanged,
}

/// A run of the command.
struct Apply {
    domains: AccountDomains,
    enclosure: Enclosure,
    /// True when every transaction is undone.
    is_trial: bool,
    unlisted: Unlisted,
}

impl Apply {
    async fn all(&self, wanted: &[WantedDomain]) -> anyhow::Result<Counts> {
        let mut counts = Counts::default();
        let existing: BTreeSet<String> =
            self.domains.list().await?.into_iter().map(|domain| domain.host).collect();
        for wanted in wanted {
            match self.one(wanted, existing.contains(&wanted.host)).await {
                Ok(Outcome::Added(lines)) => {
                    counts.added += 1;
                    self.tell(&wanted.host, "added", &lines)?;
                }
                Ok(Outcome::Changed(lines)) => {
                    counts.changed += 1;
                    self.tell(&wanted.host, "changed", &lines)?;
                }
                Ok(Outcome::Unchanged) => counts.unchanged += 1,
                Err(error) => {
                    counts.failed += 1;
                    output::error(&format!("{}: {}", wanted.host, one_line(error.as_ref())));
                }
            }
        }
        let is_named = |host: &String| wanted.iter().any(|wanted| wanted.host == *host);
        for host in existing.iter().filter(|host| self.unlisted == Unlisted::Remove && !is_named(host)) {
            if !self.is_trial {
                self.enclosure.begin().await?;
                self.domains.remove(host).await.with_context(|| host.clone())?;
                self.enclosure.commit().await?;
            }
            counts.removed += 1;
            self.tell(host, "removed", &[])?;
        }
        Ok(counts)
    }

    /// Makes one domain what the file says, or changes nothing.
    async fn one(&self, wanted: &WantedDomain, exists: bool) -> anyhow::Result<Outcome> {
        let unknown = self.domains.unknown_keys(&wanted.tables);
        if !unknown.is_empty() {
            bail!(unknown.join("; "));
        }
        let before = match exists {
            true => Some(self.domains.read(&wanted.host).await?),
            false => None,
        };
        if let Some(before) = &before
            && !self.domains.differs(before, &wanted.tables, self.unlisted)?
        {
            return Ok(Outcome::Unchanged);
        }
        self.enclosure.begin().await?;
        let changed = self.change(wanted, before).await;
        let is_kept = matches!(changed, Ok((Outcome::Added(_) | Outcome::Changed(_), _)) if !self.is_trial);
        if is_kept {
            self.enclosure.commit().await?
        } else {
            self.enclosure.roll_back().await?
        }
        let (outcome, remarks) = changed?;
        if is_kept {
            remarks.iter().for_each(|remark| output::note(&format!("{}: {remark}", wanted.host)));
        }
        Ok(outcome)
    }

    /// Changes a domain within the transaction. Returns the outcome with its remarks.
    async fn change(
        &self,
        wanted: &WantedDomain,
        before: Option<file::Tables>,
    ) -> anyhow::Result<(Outcome, Vec<String>)> {
        let (host, is_new) = (&wanted.host, before.is_none());
        let before = match before {
            Some(before) => before,
            None => {
                self.domains.add(host).await?;
                self.domains.read(host).await?
            }
        };
        let remarks = self.domains.write(host, &before, &wanted.tables, self.unlisted).await?;
        if is_new && !self.is_trial {
            return Ok((Outcome::Added(Vec::new()), remarks));
        }
        let after = self.domains.read(host).await?;
        let lines = differences(&Value::Object(before), &Value::Object(after));
        let outcome = match (is_new, lines.is_empty()) {
            (true, _) => Outcome::Added(lines),
            (false, true) => Outcome::Unchanged,
            (false, false) => Outcome::Changed(lines),
        };
        Ok((outcome, remarks))
    }

    /// Prints the outcome of a domain, and of a trial its differences.
    fn tell(&self, host: &str, outcome: &str, lines: &[String]) -> anyhow::Result<()> {
        if self.is_trial {
            let lines = lines.iter().map(|line| format!("\n  {line}"));
            output::line(&format!("{host}: would be {outcome}{}", lines.collect::<String>()))?;
            return Ok(());
        }
        let mut tables: Vec<&str> = lines.iter().filter_map(|line| line.split(['.', ':']).next()).collect();
        tables.dedup();
        let tables = if tables.is_empty() { String::new() } else { format!(": {}", tables.join(", ")) };
        output::line(&format!("{host}: {outcome}{tables}"))?;
        Ok(())
    }
}
