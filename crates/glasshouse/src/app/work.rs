//! Background work of a process: the jobs of its roles, periodic jobs, and the data that is deleted with a domain.

use std::sync::Arc;

use super::{App, AppState};
use analytics;
use dashboard::WeeklyMailer;
use domains::jobs::{Leftovers, RemoveDomain};
use edge;
use platform::config::Role;
use platform::jobs::{Registry, Schedule, Worker, WorkerSettings};
use render::jobs::{RendersForOthers, renders_at_once};
use render::remote::{RemoteResults, RenderPage};
use webhooks::ports::MessageWriter;
use webhooks::{LimitWatch, WebhookSender};

impl AppState {
    /// Registers the jobs of a role: one line per feature with jobs.
    fn register(&self, registry: Registry, role: Role) -> Registry {
        match role {
            Role::Worker => {
                let registry = self.index_now.register(registry.with::<RemoveDomain>(self.leftovers(), 1));
                let registry = self.refresh.register(registry);
                let registry = self.audits.register(analytics::jobs::register(
                    registry,
                    &self.analytics,
                    &self.crawler_watch,
                ));
                let registry = self.mention_reports.register(self.mentions.register(registry));
                let registry = self.weekly_mailer().register(self.views.register(registry));
                let registry = self.scheduled_verification.register(self.register_webhooks(registry));
                match &self.certificates {
                    Some(certificates) => edge::jobs::register(registry, certificates),
                    None => registry,
                }
            }
            Role::Render => {
                let registry = self.audits.register_runs(self.refresh.register_renders(registry));
                let registry = self.views.register_views(registry);
                registry.with::<RenderPage>(self.renders_for_others(), renders_at_once(&self.platform))
            }
            Role::Api | Role::Edge => registry,
        }
    }

    fn register_webhooks(&self, registry: Registry) -> Registry {
        let App { accounts, holdings, events, platform, .. } = &**self;
        let limits = LimitWatch {
            platform: platform.clone(),
            accounts: accounts.clone(),
            holdings: holdings.clone(),
            events: events.clone(),
        };
        limits.register(self.webhook_sender().register(registry))
    }

    /// Makes the sender of deliveries and of the messages of auditing and of monitoring.
    pub(crate) fn webhook_sender(&self) -> WebhookSender {
        let writers: Vec<Arc<dyn MessageWriter>> =
            vec![Arc::new(self.audits.runs.clone()), Arc::new(self.mention_reports.clone())];
        WebhookSender::new(&self.platform, &self.people, writers)
    }

    fn weekly_mailer(&self) -> WeeklyMailer {
        WeeklyMailer::new(&self.platform, &self.people, &self.dashboard, &self.jobs)
    }

    fn schedules(&self) -> Vec<Schedule> {
        let certificates = self.certificates.as_ref().map(|_| edge::jobs::schedules());
        [
            analytics::jobs::schedules(),
            self.refresh.schedules(),
            self.audits.schedules(),
            self.mentions.schedules(),
            self.mention_reports.schedules(),
            self.views.schedules(),
            verify::jobs::schedules(),
            webhooks::schedules(),
            dashboard::weekly::schedules(),
            certificates.unwrap_or_default(),
        ]
        .concat()
    }

    /// Returns the worker of this process.
    pub fn worker(&self) -> Worker {
        let config = &self.platform.config;
        let roles = [Role::Worker, Role::Render];
        let of = |roles: &mut dyn Iterator<Item = Role>| {
            roles.fold(Registry::default(), |registry, role| self.register(registry, role))
        };
        let registry = of(&mut roles.into_iter().filter(|role| config.has_role(*role)));
        let schedules = if config.has_role(Role::Worker) { self.schedules() } else { Vec::new() };
        let settings = WorkerSettings {
            kinds: of(&mut roles.into_iter()).kinds(),
            named_lanes: self.mentions.connections.lanes(),
            ..WorkerSettings::of(&self.platform)
        };
        Worker::new(self.jobs.clone(), registry, schedules, settings)
    }

    fn renders_for_others(&self) -> RendersForOthers {
        let App { render, domains, platform, .. } = &**self;
        let results = RemoteResults::new(platform);
        RendersForOthers { render: render.clone(), domains: domains.clone(), results }
    }

    /// Lists the parts that are deleted with a domain: one entry per feature that stores any.
    fn leftovers(&self) -> Leftovers {
        let App { domains, refresh, jobs, analytics, audits, mentions, render, views, platform, .. } =
            &**self;
        let (refresh, jobs) = (refresh.clone(), jobs.clone());
        let (analytics, audits, render) = (analytics.clone(), audits.schedule.clone(), render.clone());
        let (mentions, views) = (mentions.clone(), views.clone());
        Leftovers::new(domains, &platform.clock)
            .with("lists of pages", move |domain| {
                let refresh = refresh.clone();
                async move { refresh.forget_domain(&domain).await }
            })
            .with("jobs", move |domain| {
                let jobs = jobs.clone();
                async move { jobs.forget_domain(domain.as_str()).await }
            })
            .with("audits", move |domain| {
                let audits = audits.clone();
                async move { audits.forget_domain(&domain).await }
            })
            .with("AI mentions", move |domain| {
                let mentions = mentions.clone();
                async move { mentions.forget_domain(&domain).await }
            })
            .with("visits", move |domain| {
                let analytics = analytics.clone();
                async move { analytics.forget_domain(&domain).await }
            })
            .with("views", move |domain| {
                let views = views.clone();
                async move { views.forget_domain(&domain).await }
            })
            .with("snapshots", move |domain| {
                let render = render.clone();
                async move { render.stored_pages().forget_domain(&domain).await }
            })
    }
}
