//! `glasshouse up DOMAIN --origin HOST`: from nothing to a served domain. Makes the settings file, then starts as `serve` does,
//! with an account, a key and the domain, and tells on stdout what stands, what is waited for and what has begun to work.
//! Must never print a secret on stdout, nor change what stands.

use std::fs::OpenOptions;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use crawler::Guard;
use crawler::url::OriginHost;
use serde_json::{Map, json};

use super::owner::create_owner;
use super::{BadUsage, Context, output, serve};
use crate::app::AppState;
use accounts::Account;
use accounts::model::{Email, KeyOrder};
use analytics::live::Seen;
use analytics::model::ServedBy;
use domains::service::NewDomain;
use domains::{Domain, DomainStatus, names};
use platform::config::Config;

/// Settings file, unless `--config` names another one.
const SETTINGS: &str = "glasshouse.toml";
const SETTINGS_HEAD: &str =
    "# Written by `glasshouse up`. `glasshouse config --describe` lists every setting.\n";
/// Addresses of a new settings file.
const LISTEN: &str = "127.0.0.1:3000";
const HTTP: &str = "0.0.0.0:80";
const HTTPS: &str = "0.0.0.0:443";
const NEW_KEY: &str = "Owner";
/// Timeout of a request to the origin.
const ORIGIN_WAIT: Duration = Duration::from_secs(5);
/// Time between two checks of domain and origin, at first and after the first minute.
const CHECK_EVERY: Duration = Duration::from_secs(2);
const CHECK_EVERY_LATER: Duration = Duration::from_secs(15);
const FIRST_MINUTE: Duration = Duration::from_secs(60);

/// Domain to serve, and settings of a new installation.
#[derive(clap::Args)]
pub struct Args {
    /// The domain, such as shop.com or app.shop.com
    domain: String,
    /// Host where the site itself answers
    #[arg(long, value_name = "HOST")]
    origin: String,
    /// E-mail address of the account, owner@localhost for a new one
    #[arg(long, value_name = "E")]
    email: Option<Email>,
    /// Data folder of a new installation [default: ./data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Address of API and dashboard of a new installation [default: 127.0.0.1:3000]
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Address of plain HTTP of a new installation [default: 0.0.0.0:80]
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Address of TLS of a new installation [default: 0.0.0.0:443]
    #[arg(long, value_name = "ADDR")]
    https: Option<SocketAddr>,
    /// Public address of this machine, at which the domain's records point [default: its only one]
    #[arg(long, value_name = "IP")]
    public_ip: Option<IpAddr>,
}

/// Site that is to be served.
pub struct FirstSite {
    host: String,
    origin: OriginHost,
    args: Args,
}

/// A site with its records, and what was said of it.
pub struct ServedSite {
    host: String,
    account: Account,
    domain: Domain,
}

/// Checks the arguments, and writes the settings file where there is none. Returns its path.
pub fn prepare(args: &Args, config: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    parse_site(args)?;
    let path = config.unwrap_or_else(|| PathBuf::from(SETTINGS));
    let outcome = if path.exists() {
        "is kept"
    } else {
        write_settings(&path, args)?;
        "was made"
    };
    say(&format!("settings: {} {outcome}", path.display()));
    Ok(path)
}

/// Parses domain and origin. An invalid one is bad usage.
fn parse_site(args: &Args) -> Result<(String, OriginHost), BadUsage> {
    let Args { domain, origin, .. } = args;
    let host = names::parse_domain(domain)
        .ok_or_else(|| BadUsage(format!("{domain} is not a domain that can be connected")))?;
    let origin = names::check_origin(&host, origin)
        .map_err(|problem| BadUsage(format!("--origin {origin}: {problem}")))?;
    Ok((host, origin))
}

/// Starts the service with the site, until SIGTERM or SIGINT.
pub async fn run(args: Args, context: Context) -> anyhow::Result<ExitCode> {
    let (host, origin) = parse_site(&args)?;
    let site = FirstSite { host, origin, args };
    site.tell_what_is_kept(&context.config);
    serve::run(context, Some(site)).await
}

/// Prints a line of progress.
fn say(line: &str) {
    // Without a reader of stdout the service goes on.
    let _ = output::line(line);
}

fn write_settings(path: &Path, args: &Args) -> anyhow::Result<()> {
    let mut edge = Map::new();
    edge.insert("http_listen".to_owned(), json!(args.http.map_or(HTTP.to_owned(), |http| http.to_string())));
    edge.insert(
        "https_listen".to_owned(),
        json!(args.https.map_or(HTTPS.to_owned(), |https| https.to_string())),
    );
    for ip in public_ips(args)? {
        edge.insert(if ip.is_ipv4() { "public_ipv4" } else { "public_ipv6" }.to_owned(), json!([ip]));
    }
    let listen = args.listen.map_or(LISTEN.to_owned(), |listen| listen.to_string());
    let mut settings = json!({ "server": { "listen": listen }, "edge": edge });
    if let Some(data) = &args.data {
        settings["storage"] = json!({ "data_dir": data });
    }
    let text = format!("{SETTINGS_HEAD}\n{}", toml::to_string(&settings)?);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = made.and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the public addresses for a new settings file: the given one, or those of the machine. None where the environment
/// has set them.
fn public_ips(args: &Args) -> anyhow::Result<Vec<IpAddr>> {
    if let Some(ip) = args.public_ip {
        return Ok(vec![ip]);
    }
    let environment = Config::load(None)?.edge;
    if !environment.public_ipv4.is_empty() || !environment.public_ipv6.is_empty() {
        return Ok(Vec::new());
    }
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let found = public_among(&read("/proc/net/fib_trie"), &read("/proc/net/if_inet6"));
    let is_only = |is_ipv4: bool| found.iter().filter(|ip| ip.is_ipv4() == is_ipv4).count() <= 1;
    if !found.is_empty() && is_only(true) && is_only(false) {
        return Ok(found);
    }
    let found: Vec<String> = found.iter().map(IpAddr::to_string).collect();
    let problem = match found.as_slice() {
        [] => "this machine has no public address of its own".to_owned(),
        several => format!("this machine has several public addresses ({})", several.join(", ")),
    };
    Err(BadUsage(format!("{problem}; say with --public-ip at which one the domain's records point")).into())
}

/// Lists the public addresses among those of this machine, from Linux's tables of local addresses.
fn public_among(fib_trie: &str, if_inet6: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    let mut last = None;
    for line in fib_trie.lines().map(str::trim) {
        match line.strip_prefix("|-- ") {
            Some(address) => last = address.parse().ok(),
            None if line == "/32 host LOCAL" => found.extend(last.map(IpAddr::V4)),
            None => {}
        }
    }
    for line in if_inet6.lines() {
        let mut columns = line.split_whitespace();
        let address = columns.next().and_then(|digits| u128::from_str_radix(digits, 16).ok());
        let flags = columns.nth(3).and_then(|flags| u8::from_str_radix(flags, 16).ok()).unwrap_or_default();
        // Temporary (1) and deprecated (32) addresses change.
        found.extend(address.filter(|_| flags & 0x21 == 0).map(|bits| IpAddr::V6(bits.into())));
    }
    found.retain(|ip| Guard::default().check(SocketAddr::new(*ip, 443)).is_ok());
    found.sort_unstable();
    found.dedup();
    found
}

impl FirstSite {
    /// Tells the settings that were asked for and stand otherwise.
    fn tell_what_is_kept(&self, config: &Config) {
        let kept = |setting: &str, stands: String, asked: Option<String>| {
            if let Some(asked) = asked.filter(|asked| *asked != stands) {
                say(&format!("kept: {setting} is {stands:?}; {asked:?} was asked for"));
            }
        };
        let (args, edge) = (&self.args, &config.edge);
        let shown =
            |address: Option<SocketAddr>| address.map(|address| address.to_string()).unwrap_or_default();
        kept("server.listen", config.server.listen.to_string(), args.listen.map(|listen| listen.to_string()));
        kept("edge.http_listen", shown(edge.http_listen), args.http.map(|http| http.to_string()));
        kept("edge.https_listen", shown(edge.https_listen), args.https.map(|https| https.to_string()));
        let folder = config.storage.data_dir.display().to_string();
        kept("storage.data_dir", folder, args.data.as_ref().map(|data| data.display().to_string()));
        if let Some(ip) = args.public_ip {
            let (name, stands) = match ip {
                IpAddr::V4(_) => {
                    ("edge.public_ipv4", edge.public_ipv4.iter().map(ToString::to_string).collect::<Vec<_>>())
                }
                IpAddr::V6(_) => {
                    ("edge.public_ipv6", edge.public_ipv6.iter().map(ToString::to_string).collect())
                }
            };
            kept(name, stands.join(", "), Some(ip.to_string()));
        }
    }

    /// Makes the account, its key and the domain, as far as they are missing.
    pub async fn establish(self, app: &AppState) -> anyhow::Result<ServedSite> {
        let config = &app.platform.config;
        let is_new = create_owner(&app.accounts, self.args.email.as_ref(), &config.public_url()).await?;
        let account = self.find_account(app).await?;
        match is_new {
            true => say(&format!("account: {} was made, with a password and a key", account.email)),
            false => self.keep_account(app, &account).await?,
        }
        let host = &self.host;
        let domain = match app.domains.find_exact(&account.id, host).await? {
            Some(domain) => {
                let origin = domain.settings.origin_text();
                say(&format!("domain: {host} is kept"));
                if origin != self.origin.to_string() {
                    say(&format!(
                        "kept: the origin of {host} is {origin:?}; {:?} was asked for",
                        self.origin.to_string()
                    ));
                }
                domain
            }
            None => {
                let new = NewDomain {
                    domain: host.clone(),
                    origin_host: Some(self.origin.to_string()),
                    ..NewDomain::default()
                };
                let added = app.domains.add(&account.id, config.plan(account.plan).domains, new).await;
                let domain = added.with_context(|| host.clone())?.domain;
                say(&format!("domain: {host} was added, with the origin {}", self.origin));
                domain
            }
        };
        if domain.status == DomainStatus::Pending {
            let records = app.connection.required_records(&domain).await?.records;
            let records =
                records.iter().map(|record| format!("{} {} {}", record.r#type, record.name, record.value));
            say(&format!("records: {host} needs {}", records.collect::<Vec<_>>().join(", ")));
        }
        Ok(ServedSite { host: self.host, account, domain })
    }

    /// Finds the account of the domain: the named one, the one that has the domain, or the only one.
    async fn find_account(&self, app: &AppState) -> anyhow::Result<Account> {
        let mut all = app.accounts.list_accounts().await?;
        if let Some(email) = &self.args.email
            && let Some(at) = all.iter().position(|account| account.email == email.as_str())
        {
            return Ok(all.swap_remove(at));
        }
        let records = app.domains.list_by_host(&self.host).await?;
        let has_domain = |account: &Account| records.iter().any(|record| record.account_id == account.id);
        let account = match all.len() {
            1 => all.pop(),
            _ => all.into_iter().find(has_domain),
        };
        account.context("there are several accounts; say with --email which one has the domain")
    }

    async fn keep_account(&self, app: &AppState, account: &Account) -> anyhow::Result<()> {
        say(&format!("account: {} is kept", account.email));
        if let Some(email) = &self.args.email
            && account.email != email.as_str()
        {
            say(&format!("kept: the account is {:?}; {:?} was asked for", account.email, email.as_str()));
        }
        let keys = app.accounts.list_keys(&account.id).await?;
        if keys.iter().all(|key| key.revoked_at.is_some()) {
            let (key, _) = app.accounts.create_key(&account.id, KeyOrder::named(NEW_KEY, None)).await?;
            say("key: one was made");
            output::note(&format!("  API key:  {}", key.reveal()));
        }
        Ok(())
    }
}

impl ServedSite {
    /// Tells the progress of the site until a crawler got a page. Ends with the service.
    pub async fn accompany(self, app: AppState) {
        let shutdown = app.platform.shutdown.clone();
        tokio::select! {
            () = shutdown.cancelled() => {}
            ((), ()) = async { tokio::join!(self.tell_connection(&app), self.tell_first_crawler(&app)) } => {}
        }
    }

    /// Checks domain and origin until the domain is served and the origin answers. Tells each state once.
    async fn tell_connection(&self, app: &AppState) {
        let (started, mut told) = (Instant::now(), Vec::new());
        loop {
            let states = self.states(app).await.unwrap_or_else(|error| vec![format!("waiting: {error:#}")]);
            for state in states.iter().filter(|state| !told.contains(*state)) {
                say(state);
            }
            if !states.iter().any(|state| state.starts_with("waiting")) {
                say(&format!("ready: crawlers get pages of {}", self.host));
                return;
            }
            told = states;
            let is_early = started.elapsed() < FIRST_MINUTE;
            tokio::time::sleep(if is_early { CHECK_EVERY } else { CHECK_EVERY_LATER }).await;
        }
    }

    /// Returns a line about the connection and one about the origin.
    async fn states(&self, app: &AppState) -> anyhow::Result<Vec<String>> {
        let Some(domain) = app.domains.find_by_id(&self.domain.id).await? else {
            bail!("{} was removed", self.host)
        };
        let connection = match domain.status {
            DomainStatus::Pending => {
                let report = app.connection.examine(&domain).await?;
                match report.result.status {
                    DomainStatus::Pending if report.problems.is_empty() => {
                        format!("waiting: another account has {}", self.host)
                    }
                    DomainStatus::Pending => format!("waiting: {}", report.problems.join("; ")),
                    status => self.connected(status),
                }
            }
            DomainStatus::Suspended => {
                format!("waiting: {} is suspended; see `glasshouse domain resume`", self.host)
            }
            status => self.connected(status),
        };
        let Some(origin) = &domain.settings.origin_host else { return Ok(vec![connection]) };
        let origin = match app.origins.is_reachable(origin, ORIGIN_WAIT).await {
            true => format!("origin: {origin} answers"),
            false => format!("waiting: the origin {origin} does not answer"),
        };
        Ok(vec![connection, origin])
    }

    fn connected(&self, status: DomainStatus) -> String {
        format!("connected: {} leads here ({status})", self.host)
    }

    async fn tell_first_crawler(&self, app: &AppState) {
        let Ok(mut visits) = app.recorder.watch(&self.account.id, &self.domain.id) else { return };
        loop {
            let Seen::Visit(visit) = visits.next().await else { continue };
            if visit.status == 200 && visit.served != ServedBy::Origin {
                let (name, path, time) = (&visit.crawler.name, &visit.path, visit.duration.as_millis());
                say(&format!(
                    "crawler: {name} got {}{path} ({}, {time} ms)",
                    self.host,
                    visit.served.as_str()
                ));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_of_the_machine_are_read_from_its_tables() {
        let fib_trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n     |-- 127.0.0.1\n        \
             /32 host LOCAL\n     |-- 10.0.0.7\n        /32 host LOCAL\n     |-- 93.184.216.34\n        /32 host LOCAL\n     \
             |-- 93.184.216.255\n        /32 link BROADCAST\nLocal:\n     |-- 93.184.216.34\n        /32 host LOCAL\n";
        let if_inet6 = "00000000000000000000000000000001 01 80 10 80       lo\n\
             26062800022000010248189325c81946 02 40 00 00     eth0\n\
             26062800022000010000000000000001 02 40 00 01     eth0\n\
             fe800000000000000000000000000001 02 40 20 80     eth0\n";

        let found = public_among(fib_trie, if_inet6);

        let expected =
            ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"].map(|ip| ip.parse::<IpAddr>().unwrap());
        assert_eq!(found, expected);
    }
}
