//! Runs for the dashboard's overview and its list of sites: numbers without the reports they come from.

use std::collections::HashMap;

use serde::Deserialize;
use store::DbError;
use url::Url;

use crate::queries::summaries::{self, RunSummary};
use crate::segments::ReadError;
use crate::service::Audits;
use crate::stored::{PART_ROWS, PartKind, lines};
use accounts::AccountId;
use domains::DomainId;

impl Audits {
    /// Summarises the newest run with results of each domain of an account.
    pub async fn latest_summaries(
        &self,
        account: &AccountId,
    ) -> Result<HashMap<DomainId, RunSummary>, DbError> {
        let runs = summaries::list_latest(&mut self.0.db.read().await?, account).await?;
        Ok(runs.into_iter().map(|run| (run.domain.clone(), run)).collect())
    }

    /// Summarises the newest runs of a domain that have results, the newest first.
    pub async fn recent_summaries(&self, domain: &DomainId, most: i64) -> Result<Vec<RunSummary>, DbError> {
        summaries::list_of_domain(&mut self.0.db.read().await?, domain, most).await
    }

    /// Decides whether a page of the newest run with results names a picture in its social tags.
    pub async fn names_social_image(&self, domain: &DomainId, picture: &Url) -> Result<bool, ReadError> {
        let Some((run, index)) = self.latest_index(domain).await? else { return Ok(false) };
        // Tags say it as they like: absolute, from the page on, encoded or not. The plain beginning of the file's name is in all
        // of them.
        let last = picture.path().rsplit('/').next().and_then(|name| name.split('%').next());
        let last = last.unwrap_or_default().to_owned();
        for part in 0..index.len().div_ceil(PART_ROWS) {
            let bytes = self.0.segments.get(&run, PartKind::Pages, part).await?;
            let (picture, last, host) = (picture.clone(), last.clone(), run.host.clone());
            let looking = move || lines(&bytes).any(|line| line_names(line, &picture, &last, &host));
            if tokio::task::spawn_blocking(looking).await.expect("looking does not panic") {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts the runs with results of an account's domains.
    pub async fn count_runs(&self, account: &AccountId) -> Result<u64, DbError> {
        summaries::count_runs(&mut self.0.db.read().await?, account).await
    }
}

/// Tags whose value is a picture's address.
const PICTURE_TAGS: [&str; 5] =
    ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"];

/// The fields of a page's row that name pictures.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaggedPage {
    path: String,
    social_tags: HashMap<String, String>,
}

/// Decides whether a row's tags lead to a picture. `last` is a text that the row must have for that.
fn line_names(line: &[u8], picture: &Url, last: &str, host: &str) -> bool {
    if !std::str::from_utf8(line).is_ok_and(|line| line.contains(last)) {
        return false;
    }
    let Ok(TaggedPage { path, social_tags: tags }) = serde_json::from_slice(line) else { return false };
    let Ok(page) = Url::parse(&format!("https://{host}{path}")) else { return false };
    let leads_there = |name: &&str| {
        tags.get(*name).and_then(|value| page.join(value.trim()).ok()).is_some_and(|url| url == *picture)
    };
    PICTURE_TAGS.iter().any(leads_there)
}
