//! Creates the services from the settings. The only module that depends on every feature.

mod holdings;
mod states;
mod work;

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use http::request::Parts;
use utoipa::openapi::{OpenApi, ServerBuilder};
use utoipa_axum::router::OpenApiRouter;

use self::holdings::HoldingsOfAccounts;
use self::states::States;
use accounts::callers::Callers;
use accounts::callers::rate_limit::RateLimits;
use accounts::ports::AccountHoldings;
use accounts::{Accounts, People};
use analytics::verify::Verifier;
use analytics::{Analytics, CrawlerWatch, Recorder, VisitStore};
use audit::{AuditReader, Audits};
use dashboard::health::{self, ReadinessCheck};
use dashboard::{DashboardServices, SiteDashboard};
use domains::connection::Connection;
use domains::connection::mark::ProbeMarks;
use domains::origin::OriginClient;
use domains::{DomainsService, IndexNow};
use edge::{self, Certificates, Edge, EdgeError, OwnSite, Services};
use mcp::ports::ThisMachine;
use mcp::{ToolBox, ToolParts, ToolSchemas};
use mentions::Mentions;
use mentions::reading::MentionReading;
use mentions::reporting::{MentionReports, ReportServices};
use platform::Platform;
use platform::api;
use platform::api::envelope::Envelope;
use platform::api::openapi::ApiDocument;
use platform::config::{Config, Role};
use platform::follow::Follower;
use platform::jobs::Jobs;
use refresh::RefreshService;
use render::prerender_interface::Relays;
use render::{PagesForViews, RenderParts, RenderService};
use verify::{ScheduledVerification, SiteVerifier};
use views::Views;
use webhooks::{Events, Webhooks};

/// Services and configuration for handlers. Cheap to clone.
#[derive(Clone)]
pub struct AppState(Arc<App>);

/// The services of this process.
pub struct App {
    /// Parts that the services are made from.
    pub platform: Platform,
    /// Follower that keeps memory equal to the database.
    pub follower: Follower,
    /// Accounts, keys, sessions, usage.
    pub accounts: Accounts,
    /// People, their memberships and credentials.
    pub people: People,
    /// Callers of the API and their rates.
    pub callers: Callers,
    /// Domains and prompts of accounts, which their plans limit.
    pub holdings: Arc<dyn AccountHoldings>,
    /// Connected domains.
    pub domains: DomainsService,
    /// Changed pages, for search engines.
    pub index_now: IndexNow,
    /// The sites' own servers.
    pub origins: OriginClient,
    /// Connection checks of domains.
    pub connection: Connection,
    /// Certificates of domains. None when this process neither serves TLS nor orders certificates.
    pub certificates: Option<Certificates>,
    /// Store of crawler visits.
    pub visits: Arc<dyn VisitStore>,
    /// Recorder of crawlers' visits.
    pub recorder: Recorder,
    /// Verification of crawlers.
    pub verifier: Verifier,
    /// Marks of our own requests to sites.
    pub probe_marks: ProbeMarks,
    /// Reports of crawlers' visits.
    pub analytics: Analytics,
    /// Watch over crawlers.
    pub crawler_watch: CrawlerWatch,
    /// Audits of sites.
    pub audits: Audits,
    /// Statistics, sources and exports of AI mentions.
    pub mention_reading: MentionReading,
    /// Monitoring of AI assistants.
    pub mentions: Mentions,
    /// Reports of AI mentions.
    pub mention_reports: MentionReports,
    /// Pages for crawlers.
    pub render: RenderService,
    /// Answers of the sites' own servers to middlewares of Prerender.
    pub relays: Relays,
    /// Background work.
    pub jobs: Jobs,
    /// Refresh of stored pages.
    pub refresh: RefreshService,
    /// Verification of sites.
    pub site_verifier: SiteVerifier,
    /// Verification of sites by schedule.
    pub scheduled_verification: ScheduledVerification,
    /// Emitter of events.
    pub events: Events,
    /// Webhooks of accounts.
    pub webhooks: Webhooks,
    /// Pages as people and crawlers see them.
    pub views: Views,
    /// Overviews of sites.
    pub dashboard: SiteDashboard,
    /// Readiness check of the service.
    pub readiness: ReadinessCheck,
}

impl Deref for AppState {
    type Target = App;

    fn deref(&self) -> &App {
        &self.0
    }
}

impl AppState {
    /// Creates every service. Starts nothing: see [`AppState::start`].
    pub fn new(platform: Platform) -> AppState {
        let Platform { clock, db, .. } = &platform;
        let follower = Follower::new(&platform);
        let accounts = Accounts::new(&platform, &follower);
        let callers = callers(&platform, &accounts);
        let jobs = Jobs::new(db.clone(), clock.clone());
        let domains = DomainsService::new(&platform, &jobs, &follower);
        let (index_now, origins) = (IndexNow::new(&platform, &domains, &jobs), OriginClient::new(&platform));
        let connection = Connection::new(&platform, domains.clone(), accounts.clone());
        let certificates = certificates(&platform, &jobs, &domains, &connection, &follower);
        let visits = analytics::stores::open(&platform);
        let recorder = Recorder::new(&platform, visits.clone());
        let analytics = Analytics::new(&platform, visits.clone());
        let of_render = RenderParts {
            accounts: &accounts,
            domains: &domains,
            index_now: &index_now,
            origins: &origins,
            jobs: &jobs,
            recorder: &recorder,
            analytics: &analytics,
        };
        let render = RenderService::new(&platform, &of_render);
        let (renders, reports) = (Arc::new(render.clone()), Arc::new(analytics.clone()));
        let audits = Audits::new(&platform, &accounts, &domains, &origins, &jobs, renders, reports);
        let mentions = Mentions::new(&platform, &accounts, &domains, &jobs, &audits.reader);
        let mention_reading = MentionReading::new(&platform, &analytics, &audits.reader);
        let of_reports = ReportServices {
            domains: &domains,
            jobs: &jobs,
            analytics: &analytics,
            audits: &audits.reader,
            monitoring: &mentions.monitoring,
        };
        let mention_reports = MentionReports::new(&platform, &of_reports);
        let refresh = RefreshService::new(&platform, &accounts, &domains, &origins, &render, &jobs);
        let views = Views::new(&platform, &accounts, &domains, &origins, &render, &jobs);
        let of_sites = (&domains, &analytics, &audits.reader);
        let dashboard = dashboard(&platform, of_sites, &mention_reading, &render, &refresh);
        let site_verifier = site_verifier(&platform, &callers);
        let scheduled_verification =
            ScheduledVerification::new(&platform, &domains, &render, &jobs, &site_verifier);
        let crawler_watch = CrawlerWatch::new(&platform, &visits, &domains, &jobs);
        let events = Events::new(clock, &jobs);
        AppState(Arc::new(App {
            relays: Relays::new(&platform, &origins, &recorder),
            readiness: ReadinessCheck::new(&platform, &follower, &visits, &recorder),
            follower,
            accounts,
            people: People::new(&platform),
            holdings: Arc::new(HoldingsOfAccounts { domains: domains.clone(), mentions: mentions.clone() }),
            domains,
            index_now,
            origins,
            connection,
            certificates,
            visits,
            recorder,
            verifier: Verifier::new(&platform),
            probe_marks: ProbeMarks::new(&platform.secrets),
            crawler_watch,
            analytics,
            audits,
            mention_reading,
            mentions,
            mention_reports,
            render,
            jobs,
            refresh,
            scheduled_verification,
            site_verifier,
            webhooks: Webhooks::new(&platform, &events),
            events,
            callers,
            views,
            dashboard,
            platform,
        }))
    }

    /// Starts the background work, which ends with `platform.shutdown`.
    pub fn start(&self) {
        let Platform { tasks, shutdown, .. } = &self.platform;
        tasks.spawn(self.accounts.clone().run_maintenance(shutdown.clone()));
        tasks.spawn(self.recorder.clone().run(shutdown.clone()));
        tasks.spawn(self.render.retention().clone().run_maintenance(shutdown.clone()));
        tasks.spawn(self.render.clone().follow_capacity());
        // Processes with browsers work on jobs too: pages of refreshes, also those of processes without browsers.
        if [Role::Worker, Role::Render].iter().any(|role| self.platform.config.has_role(*role)) {
            tasks.spawn(self.worker().run(shutdown.clone()));
        }
    }

    /// Creates the edge. `listening` are its own sockets, which no origin may have.
    pub fn edge(&self, listening: Vec<SocketAddr>) -> Result<Edge, EdgeError> {
        Edge::new(&self.platform, self.edge_services(), listening)
    }

    /// Returns the services of the edge.
    pub fn edge_services(&self) -> Services<'_> {
        let App { accounts, domains, connection, recorder, verifier, probe_marks, render, .. } = &**self;
        let certificates = self.certificates.as_ref();
        let serves_api = self.platform.config.has_role(Role::Api);
        let own_site = serves_api.then(|| OwnSite::new(&self.platform.config, self.envelope())).flatten();
        Services {
            accounts,
            domains,
            connection,
            recorder,
            verifier,
            probe_marks,
            render,
            certificates,
            own_site,
        }
    }

    /// Returns the API as one function, for listeners and tests.
    pub fn envelope(&self) -> Envelope {
        let render = States(self).render();
        let fast = Arc::new(move |parts: &Parts| render::fast_path::try_respond(&render, parts));
        Envelope::new(self.platform.config.clone(), self.router(), fast)
    }

    /// Returns the router of the API, its documentation and the dashboard.
    pub fn router(&self) -> Router {
        let document = openapi(&self.platform.config);
        let (router, _) = self.routes().split_for_parts();
        let states = States(self);
        router
            .merge(api::docs::routes(&document))
            .merge(render::prerender_interface::routes().with_state(states.render()))
            .merge(refresh::prerender_interface::routes().with_state(states.refresh()))
            .fallback(dashboard::handlers::answer_other_path)
    }

    /// Lists every operation of the API.
    fn routes(&self) -> OpenApiRouter {
        let tools = States(self).mcp(self.tools(None));
        self.features().merge(mcp::handlers::routes().with_state(tools))
    }

    /// Returns the tools of this process. `machine`: work for sites that are not a domain of the account.
    pub fn tools(&self, machine: Option<Arc<dyn ThisMachine>>) -> ToolBox {
        let (router, _) = self.features().split_for_parts();
        ToolBox::new(ToolParts {
            router,
            schemas: || ToolSchemas::of(&document_of_features()),
            callers: self.callers.clone(),
            domains: self.domains.clone(),
            stored: PagesForViews::new(&self.render),
            clock: self.platform.clock.clone(),
            machine,
        })
    }

    /// Lists the operations that tools may call, one line per feature.
    fn features(&self) -> OpenApiRouter {
        let states = States(self);
        OpenApiRouter::with_openapi(<ApiDocument as utoipa::OpenApi>::openapi())
            .merge(health::routes().with_state(self.readiness.clone()))
            .merge(accounts::handlers::routes().with_state(states.accounts()))
            .merge(webhooks::handlers::routes().with_state(states.webhooks()))
            .merge(domains::handlers::routes().with_state(states.domains()))
            .merge(audit::handlers::routes().with_state(states.audit()))
            .merge(analytics::handlers::routes().with_state(states.analytics()))
            .merge(mentions::handlers::routes().with_state(states.mentions()))
            .merge(render::handlers::routes().with_state(states.render()))
            .merge(refresh::handlers::routes().with_state(states.refresh()))
            .merge(verify::handlers::routes().with_state(states.verify()))
            .merge(views::handlers::routes().with_state(states.views()))
            .merge(dashboard::handlers::routes().with_state(states.dashboard()))
    }

    /// Returns the router of the metrics listener: metrics and the health of this process.
    pub fn metrics_router(&self) -> axum::Router {
        health::metrics_routes(self.readiness.clone(), self.certificates.clone())
    }
}

/// Creates the callers of the API, with their rates.
fn callers(platform: &Platform, accounts: &Accounts) -> Callers {
    let Platform { config, clock, db, .. } = platform;
    let rate_limits = Arc::new(RateLimits::new(config.limits.anonymous_per_minute, clock, db));
    Callers { config: config.clone(), accounts: accounts.clone(), rate_limits }
}

/// Creates the overviews of sites, which join what all features say.
fn dashboard(
    platform: &Platform,
    (domains, analytics, audits): (&DomainsService, &Analytics, &AuditReader),
    mentions: &MentionReading,
    render: &RenderService,
    refresh: &RefreshService,
) -> SiteDashboard {
    let joined = DashboardServices {
        domains: domains.clone(),
        analytics: analytics.clone(),
        audits: audits.clone(),
        mentions: mentions.clone(),
        render: render.clone(),
        refresh: refresh.clone(),
    };
    SiteDashboard::new(platform, joined)
}

/// Creates the verifier of sites, with this installation's mark and limits.
fn site_verifier(platform: &Platform, callers: &Callers) -> SiteVerifier {
    SiteVerifier::new(&platform.network)
        .marked(&platform.secrets, &platform.clock)
        .limited(&callers.rate_limits.shared)
}

/// Creates the certificates' service when handshakes or the worker need it. Connected domains get their certificates by a job.
fn certificates(
    platform: &Platform,
    jobs: &Jobs,
    domains: &DomainsService,
    connection: &Connection,
    follower: &Follower,
) -> Option<Certificates> {
    let config = &platform.config;
    let needs_them = config.has_role(Role::Edge) || config.has_role(Role::Worker);
    config.edge.https_listen.filter(|_| needs_them)?;
    let certificates = Certificates::new(platform, jobs, domains, connection, follower)?;
    domains.queue_when_connected(edge::jobs::OrderCertificate::for_names_of);
    Some(certificates)
}

/// Returns the OpenAPI document without creating a service.
pub fn openapi(config: &Config) -> OpenApi {
    let mut document = document_of_features();
    document.merge(mcp::handlers::routes().into_openapi());
    document.servers = Some(vec![ServerBuilder::new().url(config.public_url()).build()]);
    document
}

/// Returns the part of the OpenAPI document with the operations that tools may call.
pub fn document_of_features() -> OpenApi {
    let features = [
        health::routes().into_openapi(),
        accounts::handlers::routes().into_openapi(),
        webhooks::handlers::routes().into_openapi(),
        domains::handlers::routes().into_openapi(),
        audit::handlers::routes().into_openapi(),
        analytics::handlers::routes().into_openapi(),
        mentions::handlers::routes().into_openapi(),
        render::handlers::routes().into_openapi(),
        refresh::handlers::routes().into_openapi(),
        verify::handlers::routes().into_openapi(),
        views::handlers::routes().into_openapi(),
        dashboard::handlers::routes().into_openapi(),
    ];
    let mut document = <ApiDocument as utoipa::OpenApi>::openapi();
    features.into_iter().for_each(|feature| document.merge(feature));
    webhooks::add_events(&mut document);
    document
}

#[cfg(test)]
mod tests;
