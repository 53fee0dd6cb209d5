//! The part of the state machine for what a visit has come to: the captured page, and the answers of servers on the way.
//! Must never call a page whole that was cut off.

use url::Url;

use super::State;
use crate::RenderError;
use crate::page::Done;
use crate::visit::outcome::{Answers, Captured, End, settled};

impl State<'_> {
    /// Takes what servers have answered so far.
    pub fn take_answers(&mut self) -> Answers {
        Answers {
            first_status: self.trail.first_status.unwrap_or_default(),
            hops: std::mem::take(&mut self.trail.hops),
            headers: std::mem::take(&mut self.document.headers),
            failed: self.loads.failed(),
        }
    }

    /// Returns the end with the page that has reported itself.
    pub(super) fn finish(&self, done: Done) -> End {
        let limit = self.request.limits.html_bytes;
        let bytes = done.too_large.unwrap_or(done.html.len());
        if done.too_large.is_some() || bytes > limit {
            return End::Failed(RenderError::TooLarge { bytes, limit });
        }
        let shown = Url::parse(&done.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let final_url = shown.unwrap_or_else(|| self.request.url.clone());
        if done.html.is_empty() {
            return End::not_a_page(self.document.xml.as_deref().unwrap_or("an empty document"));
        }
        let own = self.document.status.unwrap_or(200);
        let status = if (100..600).contains(&done.status) { done.status } else { own };
        let (partial, settled) = settled(done.why, self.findings.is_cut);
        let mut inspection = done.inspection.filter(|_| !partial);
        inspection.iter_mut().for_each(|inspection| inspection.loaded = self.loads.ended());
        End::Page(Box::new(Captured {
            status,
            location: None,
            final_url,
            html: done.html,
            partial,
            settled,
            inspection,
        }))
    }
}
