//! Answers on their way through the scanner, which works on another thread while the crawl checks what was scanned before.
//! All that wait go over at once: a thread that is woken for each page costs as much as the scan of a small one.
//! See docs/decisions/0310.

use std::collections::VecDeque;

use tokio::task::JoinHandle;
use url::Url;

use super::fetch::Answer;
use super::journal::Record;
use super::page_work::read_facts;
use crate::page::PageFacts;
use crate::site::UrlId;

/// What there is for an address.
pub(super) enum Fetched {
    /// An earlier run had it.
    Past(Record),
    Answer {
        id: UrlId,
        url: Url,
        answer: Box<Answer>,
        /// Of a page that was scanned.
        raw: Option<Box<PageFacts>>,
        asked_at_ms: i64,
    },
}

/// Answers in the order in which they came.
#[derive(Default)]
pub(super) struct Scans {
    waiting: Vec<Fetched>,
    running: Option<(usize, JoinHandle<VecDeque<Fetched>>)>,
    done: VecDeque<Fetched>,
}

impl Scans {
    /// Adds one.
    pub fn push(&mut self, fetched: Fetched) {
        self.waiting.push(fetched);
    }

    /// Begins with what waits, unless something is being scanned.
    pub fn start(&mut self) {
        if self.running.is_some() || self.waiting.is_empty() {
            return;
        }
        let answers = std::mem::take(&mut self.waiting);
        let count = answers.len();
        let scan = move || answers.into_iter().map(scanned).collect();
        self.running = Some((count, tokio::task::spawn_blocking(scan)));
    }

    /// The next one that was scanned, if it is there.
    pub fn pop(&mut self) -> Option<Fetched> {
        self.done.pop_front()
    }

    /// Waits until more are scanned; for ever when none are being.
    pub async fn wait(&mut self) {
        let Some((_, running)) = &mut self.running else { return std::future::pending().await };
        match running.await {
            Ok(scanned) => self.done.extend(scanned),
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
        self.running = None;
    }

    /// Answers that were given and not taken.
    pub fn len(&self) -> usize {
        let running = self.running.as_ref().map_or(0, |(count, _)| *count);
        self.waiting.len() + running + self.done.len()
    }
}

/// An answer with the facts of its document, if it is a page.
fn scanned(mut fetched: Fetched) -> Fetched {
    if let Fetched::Answer { url, answer, raw, .. } = &mut fetched
        && let Ok(response) = &answer.response
        && response.redirect_target(url).is_none()
        && response.is_page()
    {
        *raw = Some(Box::new(read_facts(response)));
    }
    fetched
}
