//! The newest run of a domain that has results, as page insights, AI monitoring and the dashboard read it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::AuditReader;
use super::rows::RowReader;
use crate::model::Run;
use crate::segments::ReadError;
use crate::stored::{Index, PART_ROWS, PartKind, lines};

/// A domain's newest run with results.
pub struct LatestRun {
    pub run: Run,
    pub(super) index: Arc<Index>,
    pub(super) reader: AuditReader,
}

/// A page of an audit with the texts that show its topic.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuditedTopic {
    /// Path with the query.
    pub path: String,
    pub title: Option<String>,
    pub h1: Option<String>,
}

/// Words of a page's main text, before and after its scripts ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWords {
    /// Words of the server's own response.
    pub raw: u64,
    /// Words of the rendered page.
    pub rendered: u64,
}

impl LatestRun {
    /// Counts the words of a rendered page whose scripts changed them. Returns `None` for other pages.
    pub async fn count_words(&self, path: &str) -> Result<Option<PageWords>, ReadError> {
        let Some(row) = self.index.find_path(path) else { return Ok(None) };
        let mut rows = RowReader::new(&self.reader, &self.run, PartKind::Details);
        let details: Option<RenderedFields> = rows.read(row).await?;
        let words = |fields: &BTreeMap<String, String>| fields.get("wordCount")?.parse().ok();
        Ok(details.and_then(|details| {
            Some(PageWords { raw: words(&details.raw)?, rendered: words(&details.rendered?)? })
        }))
    }

    /// Finds the page of a path with query, and reads fields that lists show of it.
    pub async fn find_page<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, ReadError> {
        let Some(row) = self.index.find_path(path) else { return Ok(None) };
        RowReader::new(&self.reader, &self.run, PartKind::Pages).read(row).await
    }

    /// Counts the issues of pages, by path with query. Paths that are not in the run are left out.
    pub fn count_issues(&self, paths: &[String]) -> HashMap<String, u64> {
        let count = |path: &String| {
            let row = self.index.find_path(path)?;
            Some((path.clone(), self.index.issues[row].len() as u64))
        };
        paths.iter().filter_map(count).collect()
    }

    /// Decides whether the page of a path has a finding of severity error.
    pub fn has_error(&self, path: &str) -> bool {
        self.index.find_path(path).is_some_and(|row| self.index.has_error(row))
    }

    /// Lists pages that search engines may list, those that most pages link to first.
    pub async fn list_topics(&self, most: usize) -> Result<Vec<AuditedTopic>, ReadError> {
        let index = &self.index;
        let mut rows: Vec<usize> =
            (0..index.len()).filter(|row| index.status[*row] == 200 && index.indexable[*row]).collect();
        rows.sort_by_key(|row| (Reverse(index.inlinks[*row]), *row));
        rows.truncate(most);
        // One part after another, so that each is read once.
        rows.sort_unstable();
        let mut pages = RowReader::new(&self.reader, &self.run, PartKind::Pages);
        let mut topics = Vec::new();
        for row in rows {
            topics.extend(pages.read(row).await?.map(|topic| (row, topic)));
        }
        topics.sort_by_key(|(row, _)| (Reverse(index.inlinks[*row]), *row));
        Ok(topics.into_iter().map(|(_, topic)| topic).collect())
    }

    /// Decides whether a page names a picture in its social tags.
    pub async fn names_social_image(&self, picture: &Url) -> Result<bool, ReadError> {
        // Tags say it as they like: absolute, from the page on, encoded or not. The plain beginning of the file's name is in all
        // of them.
        let last = picture.path().rsplit('/').next().and_then(|name| name.split('%').next());
        let last = last.unwrap_or_default().to_owned();
        for part in 0..self.index.len().div_ceil(PART_ROWS) {
            let bytes = self.reader.segments.get(&self.run, PartKind::Pages, part).await?;
            let (picture, last, host) = (picture.clone(), last.clone(), self.run.host.clone());
            let looking = move || lines(&bytes).any(|line| line_names(line, &picture, &last, &host));
            if tokio::task::spawn_blocking(looking).await.expect("looking does not panic") {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Tags whose value is a picture's address.
const PICTURE_TAGS: [&str; 5] =
    ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"];

/// Fields of a page's details that scripts may change.
#[derive(Deserialize)]
struct RenderedFields {
    raw: BTreeMap<String, String>,
    rendered: Option<BTreeMap<String, String>>,
}

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
