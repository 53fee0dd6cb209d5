//! The part of the state machine that ends a visit: the captured page, and the data of the responses.
//! Must never mark a page as complete that was cut off.

use url::Url;

use super::State;
use crate::RenderError;
use crate::page::Report;
use crate::visit::outcome::{Captured, Responses, VisitEnd, settled};

impl State<'_> {
    /// Takes the data of the responses so far.
    pub fn take_responses(&mut self) -> Responses {
        Responses {
            first_status: self.redirects.first_status.unwrap_or_default(),
            hops: std::mem::take(&mut self.redirects.hops),
            headers: std::mem::take(&mut self.document.headers),
            failed: self.resources.failed(),
        }
    }

    /// Returns the outcome for the report of the page.
    pub(super) fn finish(&self, report: Report) -> VisitEnd {
        let limit = self.request.limits.html_bytes;
        let bytes = report.too_large.unwrap_or(report.html.len());
        if report.too_large.is_some() || bytes > limit {
            return VisitEnd::Failed(RenderError::TooLarge { bytes, limit });
        }
        let shown = Url::parse(&report.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let final_url = shown.unwrap_or_else(|| self.request.url.clone());
        if report.html.is_empty() {
            return VisitEnd::not_a_page(self.document.xml.as_deref().unwrap_or("an empty document"));
        }
        let own = self.document.status.unwrap_or(200);
        let status = if (100..600).contains(&report.status) { report.status } else { own };
        let (partial, settled) = settled(report.why, &self.findings);
        let mut inspection = report.inspection.filter(|_| !partial);
        inspection.iter_mut().for_each(|inspection| inspection.loaded = self.resources.ended());
        let page = Captured::page(status, final_url, report.html);
        VisitEnd::Page(Box::new(Captured { partial, settled, inspection, ..page }))
    }
}
