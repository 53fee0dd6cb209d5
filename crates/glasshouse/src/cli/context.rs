//! Context of commands: the settings, and the database of the service, which may be running.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use browser::{BrowserConfig, ChromiumPool, Renderer};
use crawler::{Network, NetworkConfig};
use store::{BlobConfig, Blobs, Db, DbConfig};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::AppState;
use crate::unrendered::Unrendered;
use accounts::model::Email;
use accounts::{Account, Accounts};
use platform::MIGRATIONS;
use platform::Platform;
use platform::clock::Clock;
use platform::config::Config;
use platform::draining::Draining;
use platform::secret::{Secrets, secret_file};

/// Settings and clock of a command.
#[derive(Clone)]
pub struct Context {
    /// Settings.
    pub config: Arc<Config>,
    /// Time of day.
    pub clock: Clock,
}

impl Context {
    /// Returns a context with the machine's clock.
    pub fn new(config: Config) -> Context {
        Context { config: Arc::new(config), clock: Clock::system() }
    }

    /// Opens the database and brings its schema up to date.
    pub async fn database(&self) -> anyhow::Result<Db> {
        let db = self.open_database().await?;
        db.migrate(&MIGRATIONS).await?;
        Ok(db)
    }

    /// Opens the database as it is.
    pub async fn open_database(&self) -> anyhow::Result<Db> {
        let url = self.config.database_url();
        let config = DbConfig { url: url.clone(), max_connections: self.config.storage.database_connections };
        let opened = Db::open(&config).await;
        opened.with_context(|| {
            format!("cannot open the database {} (storage.database_url)", without_password(&url))
        })
    }

    /// Opens the object store.
    pub fn blobs(&self) -> anyhow::Result<Blobs> {
        let storage = &self.config.storage;
        let url = self.config.object_store_url();
        let blobs = Blobs::open(&BlobConfig {
            url: url.clone(),
            s3_endpoint: storage.s3_endpoint.clone(),
            s3_region: Some(storage.s3_region.clone()).filter(|region| !region.is_empty()),
            s3_access_key_id: storage.s3_access_key_id.reveal().map(str::to_owned),
            s3_secret_access_key: storage.s3_secret_access_key.reveal().map(str::to_owned),
            s3_allow_http: storage.s3_allow_http,
        });
        blobs.with_context(|| format!("cannot open the object store {url} (storage.object_store_url)"))
    }

    /// Returns the guarded network.
    pub fn network(&self) -> anyhow::Result<Network> {
        let settings = &self.config.network;
        Ok(Network::new(NetworkConfig {
            allow_private: settings.allow_private.clone(),
            hosts: settings.hosts.clone(),
            dns_servers: settings.dns_servers.clone(),
        })?)
    }

    /// Opens the installation's secret. Creates it when it is missing.
    pub fn secrets(&self) -> anyhow::Result<Secrets> {
        let folder = &self.config.storage.data_dir;
        std::fs::create_dir_all(folder).with_context(|| {
            format!("cannot make the data folder {} (storage.data_dir)", folder.display())
        })?;
        Ok(Secrets::open(self.config.edge.secret.reveal(), folder)?)
    }

    /// Returns the file of the installation's secret. None when the secret is a setting.
    pub fn secret_file(&self) -> Option<PathBuf> {
        let is_setting = self.config.edge.secret.reveal().is_some();
        (!is_setting).then(|| secret_file(&self.config.storage.data_dir))
    }

    /// Starts the browsers, with their profiles in `folder`. The caller must shut them down.
    pub fn browser(&self, network: Network, folder: &Path) -> Arc<dyn Renderer> {
        let config = &self.config;
        let mut settings = BrowserConfig::new(network, folder);
        settings.binary = config.render.chromium.clone();
        settings.concurrency = config.render_concurrency();
        settings.strict_egress = config.network.strict_egress;
        Arc::new(ChromiumPool::start(settings))
    }

    /// Returns the accounts of the database.
    pub async fn accounts(&self) -> anyhow::Result<Accounts> {
        Ok(Accounts::on(self.database().await?, self.clock.clone(), self.config.limits.keys_per_account))
    }

    /// Returns every service on the database of the running service, without a browser and without background work.
    pub async fn app(&self) -> anyhow::Result<AppState> {
        self.app_on(self.database().await?, Arc::new(Unrendered))
    }

    /// Returns every service on this handle of the database, with this renderer. Starts no background work.
    pub fn app_on(&self, db: Db, renderer: Arc<dyn Renderer>) -> anyhow::Result<AppState> {
        Ok(AppState::new(Platform {
            config: self.config.clone(),
            clock: self.clock.clone(),
            db,
            blobs: self.blobs()?,
            network: self.network()?,
            secrets: Arc::new(self.secrets()?),
            renderer,
            tasks: TaskTracker::new(),
            draining: Draining::default(),
            shutdown: CancellationToken::new(),
        }))
    }

    /// Finds the account that a command names by its e-mail address.
    pub async fn account(&self, email: &Email) -> anyhow::Result<(Accounts, Account)> {
        let accounts = self.accounts().await?;
        let account = accounts.get_account(email).await?;
        Ok((accounts, account))
    }
}

/// Masks the password of a database address.
pub fn without_password(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut parsed) if parsed.password().is_some() => {
            let _ = parsed.set_password(Some("***"));
            parsed.to_string()
        }
        _ => url.to_owned(),
    }
}
