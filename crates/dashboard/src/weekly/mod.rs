//! The weekly mail of a person: the domains that the person may see, with the visits of the last whole week, in the order of the
//! list of domains. Used by the jobs of this folder.
//! Must never send two mails for one week to a person, nor a word about a domain that the person does not see.
//! See docs/decisions/0520.

mod jobs;
mod mail;

pub use jobs::{FindWeeklyMails, SendWeeklyMail, schedules};

use std::collections::HashMap;

use crawler::errors::one_line;
use store::{Db, DbError};

use crate::SiteDashboard;
use crate::sites::SiteQuestion;
use accounts::people::{SeenAccount, WeeklyMails, monday_of};
use accounts::{People, VisibleAccount};
use analytics::DomainDay;
use analytics::model::{Day, date_of};
use analytics::stores::VisitError;
use domains::DomainId;
use mail::{AccountWeek, DomainWeek, WeeklyOverview};
use platform::Platform;
use platform::clock::Clock;
use platform::jobs::{Job, JobError, Jobs};
use platform::notify::mail::{MailError, MailMessage};

/// Days of a week.
const WEEK_DAYS: i64 = 7;

/// Weekly mails about domains. Cheap to clone.
#[derive(Clone)]
pub struct WeeklyMailer {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    /// Address of the dashboard, without a slash at its end.
    public_url: String,
    people: WeeklyMails,
    dashboard: SiteDashboard,
}

impl WeeklyMailer {
    /// Makes the service.
    pub fn new(platform: &Platform, people: &People, dashboard: &SiteDashboard, jobs: &Jobs) -> WeeklyMailer {
        WeeklyMailer {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            jobs: jobs.clone(),
            public_url: platform.config.public_url().trim_end_matches('/').to_owned(),
            people: people.weekly_mails.clone(),
            dashboard: dashboard.clone(),
        }
    }

    /// Queues the mails of this week that no process has queued. Queues nothing while no mail server is set.
    async fn queue_due(&self) -> Result<(), DbError> {
        if self.people.mailer().is_none() {
            return Ok(());
        }
        let week = monday_of(self.clock.now());
        let mut tx = self.db.write().await?;
        let due = self.people.take_due(&mut tx, week).await?;
        let job = |person| SendWeeklyMail { person, week }.queued_for("service");
        self.jobs.enqueue(&mut tx, due.into_iter().map(job).collect()).await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Sends the mail of a person, unless there is nothing to tell. A mail that is sent again has the same id.
    async fn send(&self, order: &SendWeeklyMail) -> Result<(), JobError> {
        let Some(mailer) = self.people.mailer() else { return Ok(()) };
        let Some(reader) = self.people.find_reader(&order.person).await? else { return Ok(()) };
        let mut accounts = Vec::new();
        for account in &reader.accounts {
            let domains = self.week_of(account, order.week).await;
            let domains = domains.map_err(|error| JobError::retry(one_line(&error)))?;
            if !domains.is_empty() {
                accounts.push(AccountWeek { name: account.name.clone(), domains });
            }
        }
        if accounts.is_empty() {
            return Ok(());
        }
        let overview = WeeklyOverview {
            from: date_of(order.week - WEEK_DAYS),
            to: date_of(order.week - 1),
            accounts,
            public_url: &self.public_url,
        };
        let mail = overview.write();
        let id = format!("weekly-{}-{}", date_of(order.week), order.person);
        let settings = overview.settings_link();
        let message = MailMessage {
            to: &reader.email,
            subject: &mail.subject,
            text: &mail.text,
            html: &mail.html,
            id: &id,
            unsubscribe: Some(&settings),
        };
        mailer.send(message).await.map_err(|error| match error {
            MailError::BadRecipient(_) | MailError::BadMessage(_) => JobError::give_up(one_line(&error)),
            error => JobError::retry(one_line(&error)),
        })
    }

    /// Tells the seven days before a Monday for the domains of an account that one person sees, those in need first.
    async fn week_of(&self, account: &SeenAccount, monday: Day) -> Result<Vec<DomainWeek>, VisitError> {
        let visible = VisibleAccount { account: &account.id, domains: account.domains.as_deref() };
        let question = SiteQuestion { days: 7, limit: usize::MAX, ..SiteQuestion::default() };
        let rows = self.dashboard.list_sites(&visible, &question).await?.rows;
        let seen = self.dashboard.services.domains.list_seen(&visible).await?;
        let ids: HashMap<String, DomainId> =
            seen.into_iter().map(|domain| (domain.host, domain.id)).collect();
        let all: Vec<DomainId> = ids.values().cloned().collect();
        let (first, last) = (monday - 2 * WEEK_DAYS, monday - 1);
        let analytics = &self.dashboard.services.analytics;
        let (days, counted) = tokio::try_join!(
            analytics.days_of_domains(&all, (first, last)),
            analytics.counted_since(&all, first)
        )?;
        let mut days_of: HashMap<&DomainId, Vec<&DomainDay>> = HashMap::new();
        days.iter().for_each(|day| days_of.entry(&day.domain).or_default().push(day));
        let tell = |row: crate::sites::SiteRow| {
            let id = ids.get(&row.domain);
            let own = id.and_then(|id| days_of.get(id)).map_or(&[][..], Vec::as_slice);
            let (before, week): (Vec<&DomainDay>, Vec<&DomainDay>) =
                own.iter().partition(|day| day.day < monday - WEEK_DAYS);
            let is_counted = id.is_some_and(|id| counted.contains(id));
            DomainWeek {
                visits: week.iter().map(|day| day.visits).sum(),
                served: week.iter().map(|day| day.served).sum(),
                before: is_counted.then(|| before.iter().map(|day| day.visits).sum()),
                row,
            }
        };
        Ok(rows.into_iter().map(tell).collect())
    }
}
