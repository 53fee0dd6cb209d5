//! `glasshouse mcp`: the tools for AI agents on stdin and stdout, of another service or of this machine's data.
//! Must never write anything but the protocol on stdout.

mod sites;

use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, bail};
use browser::Renderer;
use crawler::Network;
use mcp::{RemoteService, ToolCaller, ToolSchemas, ToolServer, serve_stdio};
use url::Url;

use self::sites::SitesOfMachine;
use super::serve::{DataLock, EndSignals, try_lock_folder};
use super::{BadUsage, Context};
use crate::app::{AppState, document_of_features};
use crate::unrendered::Unrendered;
use accounts::Account;
use accounts::callers::Credential;
use accounts::model::{Email, KeyIdentity};
use platform::config::{API_KEY_VARIABLE, Config, Role};

/// Time that background work has to end.
const GRACE: Duration = Duration::from_secs(5);

/// Service whose tools are served.
#[derive(clap::Args)]
pub struct Args {
    /// Address of a service, whose API key is in the variable GLASSHOUSE_API_KEY [default: the data of this machine]
    #[arg(long, value_name = "URL", conflicts_with = "account")]
    url: Option<String>,
    /// E-mail address of an account on this machine [default: the only one]
    #[arg(long, value_name = "E")]
    account: Option<Email>,
}

/// Serves one client until stdin ends. Exit code 1 when the service does not answer or refuses the key.
pub async fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    match &args.url {
        Some(url) => serve_remote(url).await?,
        None => serve_this_machine(args.account.as_ref(), context).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn serve_remote(url: &str) -> anyhow::Result<()> {
    let is_http = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_http {
        return Err(BadUsage("--url takes an http or https address".to_owned()).into());
    }
    #[expect(clippy::disallowed_methods, reason = "a client's key is no setting of the service")]
    let key = std::env::var(API_KEY_VARIABLE).unwrap_or_default();
    if key.is_empty() {
        return Err(BadUsage(format!("--url needs an API key in the variable {API_KEY_VARIABLE}")).into());
    }
    let service = RemoteService::connect(url, key).await?;
    serve_stdio(ToolServer::remote(ToolSchemas::of(&document_of_features()), service)).await?;
    Ok(())
}

/// Serves the tools on the data of this machine. Works on jobs and renders by itself while no service uses the data.
async fn serve_this_machine(email: Option<&Email>, context: &Context) -> anyhow::Result<()> {
    let lock = try_lock_folder(context)?;
    let machine = Machine::start(context, lock)?;
    let served = machine.serve(email).await;
    machine.end().await;
    served
}

/// Services of this machine.
struct Machine {
    context: Context,
    network: Network,
    browser: Arc<dyn Renderer>,
    /// True when a service uses the data, which does all background work.
    is_served: bool,
    _folder: tempfile::TempDir,
    _lock: DataLock,
}

impl Machine {
    fn start(context: &Context, lock: DataLock) -> anyhow::Result<Machine> {
        let mut config = Config::clone(&context.config);
        let is_served = matches!(lock, DataLock::Taken);
        if is_served {
            config.server.roles = vec![Role::Api];
        }
        let context = Context { config: Arc::new(config), ..context.clone() };
        let network = context.network()?;
        let folder = tempfile::tempdir().context("cannot make a temporary folder for the browser")?;
        let browser = context.browser(network.clone(), folder.path());
        Ok(Machine { context, network, browser, is_served, _folder: folder, _lock: lock })
    }

    async fn serve(&self, email: Option<&Email>) -> anyhow::Result<()> {
        let renders = !self.is_served && self.context.config.has_role(Role::Render);
        let renderer: Arc<dyn Renderer> = if renders { self.browser.clone() } else { Arc::new(Unrendered) };
        let app = self.context.app_on(self.context.database().await?, renderer)?;
        let account = find_account(&app, email).await?;
        app.follower.current().await.context("cannot read the domains")?;
        if !self.is_served {
            app.start();
        }
        let machine = SitesOfMachine {
            context: self.context.clone(),
            network: self.network.clone(),
            browser: self.browser.clone(),
            tasks: app.platform.tasks.clone(),
            audits: Mutex::default(),
        };
        let credential = Credential::Key(Arc::new(KeyIdentity::of_operator(&account)));
        let caller = ToolCaller::new(credential, IpAddr::V4(Ipv4Addr::LOCALHOST));
        let server = ToolServer::of_caller(app.tools(Some(Arc::new(machine))), caller);
        // Browsers are ended in order.
        let mut signals = EndSignals::new()?;
        let served = tokio::select! {
            served = serve_stdio(server) => served,
            _ = signals.next() => Ok(()),
        };
        let platform = &app.platform;
        platform.shutdown.cancel();
        platform.tasks.close();
        let _ = tokio::time::timeout(GRACE, platform.tasks.wait()).await;
        platform.db.close().await;
        Ok(served?)
    }

    async fn end(&self) {
        let _ = tokio::time::timeout(GRACE, self.browser.shutdown()).await;
    }
}

/// Finds the account that is named, or the only one.
async fn find_account(app: &AppState, email: Option<&Email>) -> anyhow::Result<Account> {
    if let Some(email) = email {
        return Ok(app.accounts.get_account(email).await?);
    }
    let mut accounts = app.accounts.list_accounts().await?;
    match (accounts.pop(), accounts.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => bail!("there is no account; make one with glasshouse account create"),
        (Some(_), false) => {
            Err(BadUsage("there are several accounts; name one with --account".to_owned()).into())
        }
    }
}
