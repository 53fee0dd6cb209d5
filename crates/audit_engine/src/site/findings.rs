//! Findings about the site as a whole, its robots.txt and its sitemaps.

use crate::checks::Evidence;

/// One thing that was found.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct SiteFinding {
    /// Problem in a few words.
    pub detail: String,
    /// Line of robots.txt, counted from 1.
    pub line: Option<usize>,
    /// Probable intention.
    pub suggestion: Option<String>,
    /// Sitemap file that it is about.
    pub file: Option<String>,
    /// Addresses concerned.
    pub evidence: Evidence,
}

/// Findings of one check.
#[derive(Debug, Default)]
pub struct SiteFindings(pub Vec<SiteFinding>);

impl SiteFindings {
    /// Adds a finding about the site, with addresses.
    pub fn add(&mut self, detail: impl Into<String>, examples: impl IntoIterator<Item = String>) {
        let mut evidence = Evidence::default();
        examples.into_iter().for_each(|url| evidence.add(url, "", ""));
        self.0.push(SiteFinding { detail: detail.into(), evidence, ..SiteFinding::default() });
    }

    /// Adds a finding about a line of robots.txt, or about the whole file.
    pub fn line(&mut self, line: Option<usize>, detail: impl Into<String>, suggestion: Option<&str>) {
        let suggestion = suggestion.map(str::to_owned);
        self.0.push(SiteFinding { detail: detail.into(), line, suggestion, ..SiteFinding::default() });
    }

    /// Adds an entry of a sitemap file; entries of one file are one finding.
    pub fn entry(&mut self, file: Option<&str>, url: impl Into<String>, detail: impl Into<String>) {
        let at = self.0.iter().position(|finding| finding.file.as_deref() == file);
        let at = at.unwrap_or_else(|| {
            self.0.push(SiteFinding { file: file.map(str::to_owned), ..SiteFinding::default() });
            self.0.len() - 1
        });
        self.0[at].evidence.add(url, "", detail);
    }
}
