//! State of the installation and of an account, for somebody's first minutes. A word for each part: tenants read it too, and
//! paths, addresses and errors are the operator's.

use crawler::Network;
use serde::Serialize;
use utoipa::ToSchema;

use super::service::SiteDashboard;
use accounts::VisibleAccount;
use analytics::stores::VisitError;
use domains::{DomainId, DomainStatus};
use mentions::Mentions;
use platform::config::Config;

/// State of the installation and of the account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FirstRun {
    /// `browser`, `database`, `object_store`, `visit_store`, `addresses`, `public_url`, `mail`.
    pub installation: Vec<InstallationPart>,
    /// All assistants, in their order.
    pub providers: Vec<ProviderReadiness>,
    /// The demo domain, if it is the account's.
    #[schema(required = true, examples("demo.localhost"))]
    pub demo_domain: Option<String>,
    pub account: AccountContents,
}

/// A part of the installation.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InstallationPart {
    #[schema(examples("browser"))]
    pub id: &'static str,
    pub state: InstallationState,
}

/// State of a part of the installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallationState {
    Ok,
    /// It works, or is not set up, and something is missing without it.
    Note,
    Broken,
}

/// Readiness of an assistant.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProviderReadiness {
    #[schema(examples("chatgpt"))]
    pub id: String,
    pub state: ProviderState,
}

/// State of an assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    Ready,
    /// A chat-completions server at a private address answers for it.
    StandIn,
    NoKey,
}

/// Things that an account has.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccountContents {
    pub domains: u64,
    /// Domains that lead to the service or ask it themselves.
    pub connected: u64,
    pub snapshots: u64,
    /// Audits with results.
    pub runs: u64,
    /// Prompts for assistants.
    pub prompts: u64,
}

impl InstallationState {
    /// Returns the state of a part that can be used or not, with or without something to be said about it.
    pub fn of(is_usable: bool, has_problem: bool) -> InstallationState {
        match (is_usable, has_problem) {
            (true, false) => InstallationState::Ok,
            (true, true) => InstallationState::Note,
            (false, _) => InstallationState::Broken,
        }
    }
}

/// Looks at the settings that an installation works without, though not all of it does.
pub fn look_at_settings(config: &Config) -> [InstallationPart; 3] {
    let part = |id, is_set: bool| InstallationPart { id, state: InstallationState::of(true, !is_set) };
    let has_addresses = !config.edge.public_ipv4.is_empty() || !config.edge.public_ipv6.is_empty();
    [
        part("addresses", has_addresses),
        part("public_url", config.has_public_url()),
        part("mail", config.mail.smtp_url.reveal().is_some()),
    ]
}

/// Tells which assistants can be asked.
pub fn look_at_providers(network: &Network, mentions: &Mentions) -> Vec<ProviderReadiness> {
    let setups = mentions.connections.all().iter();
    let readiness = |setup: &mentions::connections::AssistantSetup| {
        let connection = &setup.connection;
        let is_chat = connection.style == assistants::providers::ApiStyle::Chat;
        let state = match connection.is_available() {
            false => ProviderState::NoKey,
            true if is_chat && connection.is_at_private_address(network) => ProviderState::StandIn,
            true => ProviderState::Ready,
        };
        ProviderReadiness { id: setup.provider.to_string(), state }
    };
    setups.map(readiness).collect()
}

impl SiteDashboard {
    /// Counts what an account has, `prompts` being known, and finds the demo domain among it.
    pub async fn look_at_account(
        &self,
        visible: &VisibleAccount<'_>,
        prompts: u64,
    ) -> Result<(AccountContents, Option<String>), VisitError> {
        let domains = self.services.domains.list_seen(visible).await?;
        let ids: Vec<DomainId> = domains.iter().map(|domain| domain.id.clone()).collect();
        let snapshots = self.services.render.snapshot_lists().count_planned(&ids).await?;
        let is_connected =
            |status: DomainStatus| matches!(status, DomainStatus::Connected | DomainStatus::ViaApi);
        let contents = AccountContents {
            domains: domains.len() as u64,
            connected: domains.iter().filter(|domain| is_connected(domain.status)).count() as u64,
            snapshots: snapshots.values().map(|counts| counts.total()).sum(),
            runs: self.services.audits.count_runs(visible.account).await?,
            prompts,
        };
        let demo = domains.into_iter().map(|domain| domain.host).find(|host| self.is_demo(host));
        Ok((contents, demo))
    }
}
