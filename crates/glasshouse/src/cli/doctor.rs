//! `glasshouse doctor`: one line per part of the installation, with the remedy when something is wrong.

use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use assistants::providers::call::{AskFailureCause, Assistants};
use assistants::providers::wire::ProviderCredit;
use assistants::providers::{AssistantQuestion, Persona, Quirks, Usd, listing_of};
use crawler::Network;
use crawler::errors::one_line;

use super::ask::OpenGate;
use super::context::without_password;
use super::{Context, output};
use analytics::VisitStore;
use analytics::stores::ClickHouseStore;
use dashboard::assets::{WebFiles, is_built};
use mentions::budgets::BudgetScope;
use mentions::connections::{AssistantSetup, Connections};
use mentions::queries::ledger::{self, BudgetRow};
use platform::config::ClickHouseUrl;
use platform::notify::mail::Mailer;

/// State of a part, in one sentence. Only `Broken` makes the command fail.
enum PartState {
    Good(String),
    /// The part works, but an operator should know.
    Note(String),
    Broken(String),
}

use PartState::{Broken, Good, Note};

/// Timeout of the check of a part.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub struct Args {
    /// Asks each AI provider one question, which costs money
    #[arg(long)]
    paid: bool,
}

/// Runs every check; exit code 1 when something is broken.
pub async fn run(args: &Args, context: &Context) -> anyhow::Result<ExitCode> {
    let mut findings = vec![("data folder", data_folder(&context.config.storage.data_dir))];
    findings.push(("database", database(context).await));
    findings.push(("object store", object_store(context).await));
    if let Some(url) = context.config.analytics.store_url.clone() {
        findings.push(("visit store", visit_store(context, url).await));
    }
    match context.network() {
        Ok(network) => {
            findings.push(("DNS resolver", resolver(&network).await));
            findings.push(("browser", browser(context, network).await));
        }
        Err(error) => findings
            .push(("DNS resolver", Broken(format!("{}; correct network.*", one_line(error.as_ref()))))),
    }
    findings.push(("dashboard", dashboard()));
    findings.push(("public address", public_address(context)));
    findings.push(("edge addresses", edge_addresses(context)));
    findings.push(("mail", mail(context)));
    findings.extend(providers(args, context).await);
    findings.push(("AI money", money_of_month(context).await));
    let is_broken = findings.iter().any(|(_, finding)| matches!(finding, Broken(_)));
    for (name, finding) in findings {
        let (mark, text) = match finding {
            Good(text) => ("ok", text),
            Note(text) => ("note", text),
            Broken(text) => ("BROKEN", text),
        };
        output::line(&format!("{mark:<7}{name}: {}", text.replace('\n', " ")))?;
    }
    Ok(if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Checks every AI provider: by a free call, and by a question if requested.
async fn providers(args: &Args, context: &Context) -> Vec<(&'static str, PartState)> {
    let Ok(network) = context.network() else { return Vec::new() };
    let (connections, assistants) = (Connections::new(&context.config), Assistants::new(&network));
    let mut findings = Vec::new();
    for setup in connections.all() {
        let name = setup.provider;
        let finding = if !setup.connection.is_available() {
            Note(format!("{name}: not set up; {}", listing_of(name).connect))
        } else if setup.is_demo {
            Note(format!("{name}: its answers are invented (providers.{name}.demo)"))
        } else {
            match provider(&assistants, setup, context).await {
                Good(text) if args.paid => question(&assistants, setup, context, text).await,
                finding => finding,
            }
        };
        findings.push(("provider", finding));
    }
    findings
}

/// Checks a provider by a free call.
async fn provider(assistants: &Assistants, setup: &AssistantSetup, context: &Context) -> PartState {
    let (name, model) = (setup.provider, setup.connection.model());
    let now = context.clock.now();
    let check = match assistants.check(&setup.connection, now.to_jiff()).await {
        Ok(check) => check,
        Err(failure) => {
            return Broken(format!("{name}: {}; correct providers.{name}.*", failure.detail));
        }
    };
    if check.is_model_there == Some(false) {
        return Broken(format!("{name}: there is no model {model}; set providers.{name}.model"));
    }
    if let Some(day) = check.shutdown {
        return Note(format!("{name}: {model} ends on {day}; set providers.{name}.model to a newer one"));
    }
    if setup.connection.search && check.can_search == Some(false) {
        return Note(format!(
            "{name}: {model} cannot search the web; choose another model, or set providers.{name}.search = false"
        ));
    }
    let credit = match check.credit {
        Some(ProviderCredit::Money(usd)) => format!(", ${usd} of credit"),
        Some(ProviderCredit::Searches(searches)) => format!(", {searches} searches of credit"),
        None => String::new(),
    };
    Good(format!("{name}: {model} answers{credit}"))
}

/// Asks a provider a question.
async fn question(
    assistants: &Assistants,
    setup: &AssistantSetup,
    context: &Context,
    checked: String,
) -> PartState {
    let question = AssistantQuestion {
        text: "Which search engines are there?",
        persona: &Persona::default(),
        run: None,
        now: context.clock.now().to_jiff(),
    };
    match assistants.ask(&setup.connection, question, &Quirks::default(), &OpenGate).await {
        Ok(asked) => Good(format!("{checked}; a question was answered for ${}", asked.cost)),
        Err(failure) => {
            let name = setup.provider;
            let detail = match failure.cause {
                AskFailureCause::Provider(failure) => failure.detail,
                AskFailureCause::Gate(never) => match never {},
            };
            Broken(format!("{name}: {detail}; correct providers.{name}.*"))
        }
    }
}

/// Reports the cost of AI monitoring in this month.
async fn money_of_month(context: &Context) -> PartState {
    let Ok(db) = context.open_database().await else {
        return Note("not read without the database".to_owned());
    };
    let month = context.clock.now().month();
    let spent = match db.read().await {
        Ok(mut conn) => ledger::list_spent(&mut conn, BudgetScope::Installation.as_str(), &month).await,
        Err(error) => Err(error),
    };
    db.close().await;
    let rows = match spent {
        Ok(rows) => rows,
        Err(error) => return Broken(one_line(&error)),
    };
    let sum = |of: fn(&BudgetRow) -> i64| Usd::from_nanos(rows.iter().map(of).sum());
    let (spent, reserved) = (sum(|row| row.spent_nanos), sum(|row| row.reserved_nanos));
    match context.config.mentions.budget_usd_per_month.and_then(Usd::from_dollars) {
        None => Note(format!(
            "${spent} spent in {month}, ${reserved} reserved, without a limit (mentions.budget_usd_per_month)"
        )),
        Some(limit) if spent + reserved >= limit => Note(format!(
            "the budget of {month} is spent: ${spent} of ${limit}; raise mentions.budget_usd_per_month"
        )),
        Some(limit) => Good(format!("${spent} of ${limit} spent in {month}, ${reserved} reserved")),
    }
}

fn data_folder(folder: &Path) -> PartState {
    let shown = folder.display();
    match tempfile_in(folder) {
        Ok(()) => Good(format!("{shown} is writable")),
        Err(error) => {
            Broken(format!("{shown}: {error}; make it writable for this user or set storage.data_dir"))
        }
    }
}

fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(".writable");
    std::fs::write(&probe, b"probe")?;
    std::fs::remove_file(probe)
}

async fn database(context: &Context) -> PartState {
    let shown = without_password(&context.config.database_url());
    match context.database().await {
        Ok(db) => {
            db.close().await;
            Good(format!("{shown} answers, schema up to date"))
        }
        Err(error) => {
            Broken(format!("{}; start it or correct storage.database_url", one_line(error.as_ref())))
        }
    }
}

async fn object_store(context: &Context) -> PartState {
    let shown = context.config.object_store_url();
    let blobs = match context.blobs() {
        Ok(blobs) => blobs,
        Err(error) => return Broken(one_line(error.as_ref())),
    };
    match tokio::time::timeout(PATIENCE, blobs.check()).await {
        Ok(Ok(())) => Good(format!("{shown} can be written, read and deleted")),
        Ok(Err(error)) => Broken(format!(
            "{shown}: {}; correct storage.object_store_url and storage.s3_*",
            one_line(&error)
        )),
        Err(_) => {
            Broken(format!("{shown} does not answer; correct storage.object_store_url and storage.s3_*"))
        }
    }
}

async fn visit_store(context: &Context, url: ClickHouseUrl) -> PartState {
    let shown = url.to_string();
    let db = match context.open_database().await {
        Ok(db) => db,
        Err(_) => return Note("not asked without the database".to_owned()),
    };
    let checked = ClickHouseStore::new(url, &db, &context.clock).check().await;
    db.close().await;
    match checked {
        Ok(()) => Good(format!("{shown} answers")),
        Err(error) => {
            Broken(format!("{shown}: {}; start it or correct analytics.store_url", one_line(&error)))
        }
    }
}

/// Resolves a name that exists as long as the internet does.
async fn resolver(network: &Network) -> PartState {
    match network.resolve("example.com", 443).await {
        Ok(_) => Good("answers".to_owned()),
        Err(error) => Note(format!(
            "{}; domain checks and renders need DNS: set network.dns_servers to a resolver that this machine reaches",
            one_line(&error)
        )),
    }
}

async fn browser(context: &Context, network: Network) -> PartState {
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return Broken(format!("no temporary folder for its profile: {error}")),
    };
    let renderer = context.browser(network, folder.path());
    let health = tokio::time::timeout(PATIENCE, ready_health(&*renderer)).await;
    let _ = tokio::time::timeout(Duration::from_secs(5), renderer.shutdown()).await;
    let Ok(health) = health else { return Broken("it does not answer".to_owned()) };
    let version = health.version.unwrap_or_else(|| "unknown version".to_owned());
    match (health.usable, health.problem) {
        (false, problem) => Broken(problem.unwrap_or_else(|| {
            "cannot be started; install chromium-headless-shell or set render.chromium".to_owned()
        })),
        (true, Some(problem)) => Note(format!("{version}; {problem}")),
        (true, None) => {
            let memory =
                if health.cgroup { "memory bounded by a cgroup" } else { "memory bounded by a watchdog" };
            let frames = if health.frames_on_demand { "frames on demand" } else { "ordinary frames" };
            Good(format!("{version}, confined to its own network namespace and sandbox, {memory}, {frames}"))
        }
    }
}

/// Waits for the health of a browser: one that is still starting has neither a version nor a problem yet.
async fn ready_health(renderer: &dyn browser::Renderer) -> browser::BrowserHealth {
    loop {
        let health = renderer.health().await;
        if health.version.is_some() || health.problem.is_some() {
            return health;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn dashboard() -> PartState {
    if is_built::<WebFiles>() {
        Good("in this build".to_owned())
    } else {
        Note("not in this build; build it with make build".to_owned())
    }
}

fn public_address(context: &Context) -> PartState {
    let address = context.config.public_url();
    let is_local = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    if context.config.is_public_https() {
        return Good(address);
    }
    if is_local(context.config.server.listen.ip()) {
        return Note(format!(
            "{address}, this machine only; set server.public_url when a proxy makes it public"
        ));
    }
    Note(format!(
        "{address} is not https: keys and passwords travel in the clear; put TLS in front and set server.public_url"
    ))
}

fn mail(context: &Context) -> PartState {
    match Mailer::of_settings(&context.config) {
        Ok(Some(_)) => Good("digests are sent over mail.smtp_url".to_owned()),
        Ok(None) => Note("mail.smtp_url is not set: no digest is sent".to_owned()),
        Err(error) => Broken(format!("{error}; correct mail.smtp_url and mail.from")),
    }
}

fn edge_addresses(context: &Context) -> PartState {
    let edge = &context.config.edge;
    if edge.http_listen.is_none() && edge.https_listen.is_none() {
        return Note("the edge is off (edge.http_listen and edge.https_listen are empty)".to_owned());
    }
    if edge.public_ipv4.is_empty() && edge.public_ipv6.is_empty() {
        return Note(
            "edge.public_ipv4 and edge.public_ipv6 are empty: no domain's DNS records can be checked"
                .to_owned(),
        );
    }
    let addresses: Vec<String> = edge
        .public_ipv4
        .iter()
        .map(ToString::to_string)
        .chain(edge.public_ipv6.iter().map(ToString::to_string))
        .collect();
    Good(format!("customers' records point at {}", addresses.join(", ")))
}
