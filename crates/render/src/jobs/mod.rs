//! Background jobs of rendering: renders for processes without browsers. See docs/decisions/0032.

use std::sync::Arc;
use std::time::Duration;

use crawler::errors::one_line;

use super::cache::page_id;
use super::decide::stored_page;
use super::remote::{RemoteResults, RenderPage};
use super::service::RenderService;
use domains::{DomainsService, Site};
use platform::Platform;
use platform::jobs::{Job, JobError, JobOutcome, JobRun};

/// Services that the job uses. Cheap to clone.
#[derive(Clone)]
pub struct RendersForOthers {
    pub render: RenderService,
    pub domains: DomainsService,
    pub results: RemoteResults,
}

impl Job for RenderPage {
    const KIND: &'static str = "RenderPage";
    const MAX_ATTEMPTS: u32 = 2;
    const FIRST_WAIT: Duration = Duration::from_millis(500);
    type Services = RendersForOthers;

    async fn run(&self, services: &RendersForOthers, run: &JobRun) -> Result<JobOutcome, JobError> {
        let found = services.domains.find_by_id(&self.domain).await?;
        let site = Arc::new(Site::new(found.ok_or_else(|| JobError::give_up("the domain was removed"))?));
        let page = stored_page(&site, &self.url);
        let id = page_id(&self.domain, &page.key);
        let outcome =
            services.render.render_for_other(&site, &page, &id, self.purpose, self.known_generation).await;
        let told = services.results.tell(&run.id, outcome).await;
        told.map_err(|error| JobError::retry(one_line(&error)))?;
        Ok(JobOutcome::Done)
    }
}

/// Returns the number of render jobs that one process runs at a time: two more than its render slots.
pub fn renders_at_once(platform: &Platform) -> usize {
    platform.config.render_concurrency() + 2
}

#[cfg(test)]
mod tests;
