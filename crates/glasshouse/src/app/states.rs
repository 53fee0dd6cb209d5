//! States of the features' routers, made of the services of this process.

use std::sync::Arc;

use super::App;
use accounts::AccountsState;
use analytics::AnalyticsState;
use analytics::import::LogPushes;
use audit::AuditState;
use dashboard::DashboardState;
use domains::DomainsState;
use mcp::{McpState, ToolBox, ToolServer};
use mentions::MentionsState;
use refresh::RefreshState;
use render::RenderState;
use verify::VerifyState;
use views::ViewsState;
use webhooks::WebhooksState;

/// Creates the states of the routers.
pub struct States<'a>(pub &'a App);

impl States<'_> {
    /// Makes the state of `accounts`.
    pub fn accounts(&self) -> AccountsState {
        let app = self.0;
        AccountsState {
            callers: app.callers.clone(),
            accounts: app.accounts.clone(),
            people: app.people.clone(),
            config: app.platform.config.clone(),
            clock: app.platform.clock.clone(),
            holdings: app.holdings.clone(),
        }
    }

    /// Makes the state of `webhooks`.
    pub fn webhooks(&self) -> WebhooksState {
        let app = self.0;
        WebhooksState {
            callers: app.callers.clone(),
            people: app.people.clone(),
            holdings: app.holdings.clone(),
            webhooks: app.webhooks.clone(),
        }
    }

    /// Makes the state of `domains`.
    pub fn domains(&self) -> DomainsState {
        let app = self.0;
        DomainsState {
            callers: app.callers.clone(),
            domains: app.domains.clone(),
            index_now: app.index_now.clone(),
            connection: app.connection.clone(),
            origins: app.origins.clone(),
            config: app.platform.config.clone(),
        }
    }

    /// Makes the state of `audit`.
    pub fn audit(&self) -> AuditState {
        let app = self.0;
        AuditState {
            callers: app.callers.clone(),
            domains: app.domains.clone(),
            runs: app.audits.runs.clone(),
            reader: app.audits.reader.clone(),
            settings: app.audits.settings.clone(),
            config: app.platform.config.clone(),
            shutdown: app.platform.shutdown.clone(),
        }
    }

    /// Makes the state of `analytics`.
    pub fn analytics(&self) -> AnalyticsState {
        let app = self.0;
        AnalyticsState {
            callers: app.callers.clone(),
            domains: app.domains.clone(),
            origins: app.origins.clone(),
            analytics: app.analytics.clone(),
            audits: app.audits.reader.clone(),
            recorder: app.recorder.clone(),
            log_pushes: LogPushes::new(&app.platform, app.visits.clone()),
            stored_pages: Arc::new(app.render.stored_pages().clone()),
            config: app.platform.config.clone(),
            shutdown: app.platform.shutdown.clone(),
        }
    }

    /// Makes the state of `mentions`.
    pub fn mentions(&self) -> MentionsState {
        let app = self.0;
        MentionsState {
            callers: app.callers.clone(),
            domains: app.domains.clone(),
            mentions: app.mentions.clone(),
            mention_reading: app.mention_reading.clone(),
            mention_reports: app.mention_reports.clone(),
            clock: app.platform.clock.clone(),
        }
    }

    /// Makes the state of `render`.
    pub fn render(&self) -> RenderState {
        let app = self.0;
        RenderState {
            callers: app.callers.clone(),
            accounts: app.accounts.clone(),
            domains: app.domains.clone(),
            connection: app.connection.clone(),
            verifier: app.verifier.clone(),
            probe_marks: app.probe_marks.clone(),
            render: app.render.clone(),
            relays: app.relays.clone(),
            config: app.platform.config.clone(),
            clock: app.platform.clock.clone(),
        }
    }

    /// Makes the state of `refresh`.
    pub fn refresh(&self) -> RefreshState {
        let app = self.0;
        RefreshState {
            callers: app.callers.clone(),
            domains: app.domains.clone(),
            refresh: app.refresh.clone(),
            config: app.platform.config.clone(),
        }
    }

    /// Makes the state of `verify`.
    pub fn verify(&self) -> VerifyState {
        let app = self.0;
        VerifyState {
            callers: app.callers.clone(),
            domains: app.domains.clone(),
            site_verifier: app.site_verifier.clone(),
            scheduled: app.scheduled_verification.clone(),
            render: app.render.clone(),
            config: app.platform.config.clone(),
        }
    }

    /// Makes the state of `views`.
    pub fn views(&self) -> ViewsState {
        let app = self.0;
        ViewsState {
            callers: app.callers.clone(),
            accounts: app.accounts.clone(),
            domains: app.domains.clone(),
            views: app.views.clone(),
            config: app.platform.config.clone(),
        }
    }

    /// Makes the state of `dashboard`.
    pub fn dashboard(&self) -> DashboardState {
        let app = self.0;
        DashboardState {
            callers: app.callers.clone(),
            accounts: app.accounts.clone(),
            domains: app.domains.clone(),
            audits: app.audits.reader.clone(),
            mentions: app.mentions.clone(),
            render: app.render.clone(),
            dashboard: app.dashboard.clone(),
            holdings: app.holdings.clone(),
            readiness: app.readiness.clone(),
            network: app.platform.network.clone(),
            config: app.platform.config.clone(),
        }
    }

    /// Makes the state of `mcp`.
    pub fn mcp(&self, tools: ToolBox) -> McpState {
        let app = self.0;
        McpState {
            callers: app.callers.clone(),
            tools: ToolServer::new(tools),
            config: app.platform.config.clone(),
        }
    }
}
