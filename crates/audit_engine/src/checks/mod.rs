//! The catalogue: every check is one entry of its category's file. Documentation, validation of ids, scores and tests
//! read it. Checks are pure: they look at facts and do no I/O.

mod ai;
mod canonical;
mod content;
mod description;
mod document;
mod headings;
mod hreflang;
mod html;
mod http;
mod images;
mod indexability;
mod javascript;
mod link_graph;
mod links;
mod mobile;
mod performance;
mod prerender;
mod robots;
mod security;
mod site;
mod sitemap;
mod social;
mod structured_data;
pub mod thresholds;
mod title;
mod url;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::page::view::{CheckedRows, Page};
use crate::site::{CrawledSite, NamedRow, SiteFindings};

use thresholds::ThresholdId;

pub use ai::{AI_SEARCH_BOTS, AI_TRAINING_BOTS, FROM_OUR_ADDRESS, is_valid_llms_txt};
pub use description::has_good_length as description_has_good_length;
pub use document::document;
pub use hreflang::is_valid as is_valid_hreflang;
pub use javascript::REDIRECT as SCRIPT_REDIRECT;
pub use link_graph::ORPHAN;
pub use prerender::is_stored_error;
pub use robots::MAX_BYTES as MAX_ROBOTS_BYTES;
pub use social::{has_other_url as has_other_social_url, has_valid_card, is_absolute as is_absolute_address};
pub use title::{
    fits as title_fits, has_good_length as title_has_good_length, is_placeholder as title_is_placeholder,
};

pub struct Check {
    /// Id; never renamed.
    pub id: &'static str,
    /// Severity of a finding; never depends on the page.
    pub severity: Severity,
    /// Points that a finding subtracts from the scores.
    pub weight: f64,
    /// Place of the findings in the report.
    pub scope: FindingScope,
    /// Rows that the check looks at.
    pub on: CheckedRows,
    /// Runs unless it is turned off; false: runs only when it is turned on.
    pub is_default: bool,
    /// Thresholds that the condition compares with.
    pub thresholds: &'static [ThresholdId],
    /// Requests or results beside pages that the condition reads.
    pub needs: Option<CheckNeed>,
    /// True when a finding leaves nothing of a page's health.
    pub is_fatal: bool,
    /// Factor of a run's health with a finding; below 1 when the site is closed to search engines.
    pub run_factor: f64,
    /// True when a finding shows that scripts change the page.
    pub is_script_change: bool,
    /// Problem in a few words.
    pub title: &'static str,
    /// Reason why it matters.
    pub why: &'static str,
    /// Advice.
    pub fix: &'static str,
    /// A public page that says so.
    pub source: &'static str,
    /// A document, or the answers of a small site, on which it fires.
    pub bad: &'static str,
    /// Example without the fault.
    pub good: &'static str,
    pub fires: Fires,
}

/// Requests or results beside pages that only some checks read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckNeed {
    /// Snapshots that crawlers get.
    Snapshots,
    /// Pages of the run before.
    PreviousRun,
    /// Requests of pictures.
    Images,
    /// Requests of preview pictures.
    PreviewImages,
    /// Requests of links to other hosts.
    ExternalLinks,
    /// Requests of links of llms.txt.
    LlmsLinks,
    /// Requests of the start page as crawlers of AI companies.
    AiCrawlers,
    /// Requests of pages as Googlebot and as a person.
    UserAgents,
}

/// Condition of a check.
pub enum Fires {
    /// By one page; the evidence is the page itself.
    When(fn(&Page) -> bool),
    /// By one page, with the elements that are at fault.
    Elements(fn(&Page, &mut Evidence)),
    /// By a row among all rows, after the crawl.
    Joined(fn(&CrawledSite, &NamedRow, &mut Evidence)),
    /// By the site as a whole, after the crawl.
    Whole(fn(&CrawledSite, &mut SiteFindings)),
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Notice,
    /// Costs visitors.
    Warning,
    /// Keeps a page out of results, or visitors from the page.
    Error,
}

impl Severity {
    /// Returns the text in reports and responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
        }
    }
}

/// Place of a finding in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingScope {
    /// A row.
    Page,
    Site,
    /// The site's robots.txt.
    Robots,
    Sitemap,
}

/// A group of checks, with the most that it can cost a page.
pub struct Category {
    pub name: &'static str,
    /// The most that its findings take from a page's score.
    pub cap: f64,
    pub checks: &'static [Check],
}

/// Evidence of a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Elements or targets at fault.
    pub count: u32,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// One element or target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FindingExample)]
pub struct Example {
    /// Address; "" when there is none.
    pub url: String,
    /// Text or markup.
    pub text: String,
    /// Detail of the problem.
    pub detail: String,
}

/// Examples that are kept of one finding.
pub const MAX_EXAMPLES: usize = 20;
/// Maximum characters of a stored text or detail, which come from the audited site.
const MAX_EXAMPLE_CHARS: usize = 300;

impl Evidence {
    /// Adds an element; the first ones are kept as examples.
    pub fn add(&mut self, url: impl Into<String>, text: impl Into<String>, detail: impl Into<String>) {
        self.count += 1;
        if self.examples.len() < MAX_EXAMPLES {
            let [url, text, detail] = [url.into(), text.into(), detail.into()].map(cut);
            self.examples.push(Example { url, text, detail });
        }
    }
}

fn cut(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MAX_EXAMPLE_CHARS) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Defaults of page checks; entries name the other fields.
const PAGE: Check = Check {
    id: "",
    severity: Severity::Error,
    weight: 12.0,
    scope: FindingScope::Page,
    on: CheckedRows::Indexable,
    is_default: true,
    thresholds: &[],
    needs: None,
    is_fatal: false,
    run_factor: 1.0,
    is_script_change: false,
    title: "",
    why: "",
    fix: "",
    source: "",
    bad: "",
    good: "",
    fires: Fires::When(|_| false),
};
const ERROR: Check = PAGE;
const WARNING: Check = Check { severity: Severity::Warning, weight: 5.0, ..PAGE };
const NOTICE: Check = Check { severity: Severity::Notice, weight: 1.0, ..PAGE };
const SITE_ERROR: Check = Check { weight: 4.0, scope: FindingScope::Site, on: CheckedRows::Any, ..PAGE };
const SITE_WARNING: Check = Check { severity: Severity::Warning, weight: 2.0, ..SITE_ERROR };
const SITE_NOTICE: Check = Check { severity: Severity::Notice, weight: 0.5, ..SITE_ERROR };

/// Every category, in the order in which they are shown.
pub static CATEGORIES: &[Category] = &[
    Category { name: "http", cap: 40.0, checks: http::CHECKS },
    Category { name: "performance", cap: 15.0, checks: performance::CHECKS },
    Category { name: "indexability", cap: 40.0, checks: indexability::CHECKS },
    Category { name: "canonical", cap: 25.0, checks: canonical::CHECKS },
    Category { name: "title", cap: 20.0, checks: title::CHECKS },
    Category { name: "description", cap: 10.0, checks: description::CHECKS },
    Category { name: "headings", cap: 10.0, checks: headings::CHECKS },
    Category { name: "content", cap: 25.0, checks: content::CHECKS },
    Category { name: "url", cap: 10.0, checks: url::CHECKS },
    Category { name: "links", cap: 25.0, checks: links::CHECKS },
    Category { name: "links", cap: 25.0, checks: link_graph::CHECKS },
    Category { name: "images", cap: 10.0, checks: images::CHECKS },
    Category { name: "html", cap: 10.0, checks: html::CHECKS },
    Category { name: "mobile", cap: 10.0, checks: mobile::CHECKS },
    Category { name: "hreflang", cap: 15.0, checks: hreflang::CHECKS },
    Category { name: "structured-data", cap: 10.0, checks: structured_data::CHECKS },
    Category { name: "social", cap: 10.0, checks: social::CHECKS },
    Category { name: "security", cap: 10.0, checks: security::CHECKS },
    Category { name: "javascript", cap: 40.0, checks: javascript::CHECKS },
    Category { name: "prerender", cap: 20.0, checks: prerender::CHECKS },
    Category { name: "ai", cap: 10.0, checks: ai::CHECKS },
    Category { name: "robots", cap: 0.0, checks: robots::CHECKS },
    Category { name: "sitemap", cap: 0.0, checks: sitemap::CHECKS },
    Category { name: "site", cap: 0.0, checks: site::CHECKS },
];

/// A check's place in the catalogue: small enough to be kept with every finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckId(u16);

impl Serialize for CheckId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.check().id)
    }
}

impl<'de> Deserialize<'de> for CheckId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CheckId, D::Error> {
        let id = String::deserialize(deserializer)?;
        CheckId::find(&id).ok_or_else(|| serde::de::Error::custom(format!("there is no check {id:?}")))
    }
}

static ALL: LazyLock<Vec<(&'static Category, &'static Check)>> = LazyLock::new(|| {
    CATEGORIES
        .iter()
        .flat_map(|category| category.checks.iter().map(move |check| (category, check)))
        .collect()
});
static BY_ID: LazyLock<HashMap<&'static str, CheckId>> =
    LazyLock::new(|| CheckId::all().map(|id| (id.check().id, id)).collect());

impl CheckId {
    /// Returns every check.
    pub fn all() -> impl Iterator<Item = CheckId> {
        (0..u16::try_from(ALL.len()).expect("the catalogue has some hundred entries")).map(CheckId)
    }

    /// Finds the check of an id such as `TITLE_MISSING`.
    pub fn find(id: &str) -> Option<CheckId> {
        BY_ID.get(id).copied()
    }

    /// Returns the catalogue entry.
    pub fn check(self) -> &'static Check {
        ALL[usize::from(self.0)].1
    }

    pub fn category(self) -> &'static Category {
        ALL[usize::from(self.0)].0
    }
}

#[cfg(test)]
mod tests;
