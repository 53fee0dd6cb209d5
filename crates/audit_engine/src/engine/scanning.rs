//! Responses on their way through the scanner, which works on another thread while the crawl checks scanned pages.
//! The thread runs until no response waits: waking a thread for each page costs as much as the scan of a small page.
//! See docs/decisions/0160.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use url::Url;

use super::fetch::FetchResult;
use super::journal::JournalRecord;
use super::page_work::read_facts;
use crate::page::PageFacts;
use crate::site::UrlId;

/// Scanned responses for which a crawl is woken, if more wait.
const AT_ONCE: usize = 4;

/// Scanned input of an address.
pub(super) enum Scanned {
    /// An earlier run had it.
    Earlier(JournalRecord),
    Fetched {
        id: UrlId,
        url: Url,
        result: Box<FetchResult>,
        /// Facts of a page; none for other responses.
        raw: Option<Box<PageFacts>>,
        answered_at_ms: i64,
    },
}

impl Scanned {
    /// Returns the size of the document, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Scanned::Fetched { result, .. } => result.response.as_ref().map_or(0, |answer| answer.body.len()),
            Scanned::Earlier(_) => 0,
        }
    }
}

/// Responses in the order of their arrival.
#[derive(Default)]
pub(super) struct Scans {
    shared: Arc<Shared>,
    scanner: Option<JoinHandle<()>>,
    /// Submitted responses that were not taken yet, and the bytes of their documents.
    length: usize,
    bytes: usize,
}

#[derive(Default)]
struct Shared {
    queues: Mutex<Queues>,
    /// Some were scanned.
    progress: Notify,
}

#[derive(Default)]
struct Queues {
    waiting: VecDeque<Scanned>,
    done: VecDeque<Scanned>,
    is_scanning: bool,
}

impl Scans {
    /// Adds one.
    pub fn push(&mut self, fetched: Scanned) {
        self.length += 1;
        self.bytes += fetched.bytes();
        self.shared.queues().waiting.push_back(fetched);
    }

    /// Begins with what waits, unless something is being scanned.
    pub fn start(&mut self) {
        let mut queues = self.shared.queues();
        if queues.is_scanning || queues.waiting.is_empty() {
            return;
        }
        queues.is_scanning = true;
        let shared = self.shared.clone();
        self.scanner = Some(tokio::task::spawn_blocking(move || shared.scan()));
    }

    /// Returns the next scanned response, if there is one.
    pub fn pop(&mut self) -> Option<Scanned> {
        let next = self.shared.queues().done.pop_front();
        self.length -= usize::from(next.is_some());
        self.bytes -= next.as_ref().map_or(0, Scanned::bytes);
        next
    }

    /// Waits until more are scanned; for ever when none are being.
    pub async fn wait(&mut self) {
        let Some(scanner) = &mut self.scanner else { return std::future::pending().await };
        let ended = tokio::select! {
            biased;
            () = self.shared.progress.notified() => return,
            ended = scanner => ended,
        };
        self.scanner = None;
        if let Err(failed) = ended {
            std::panic::resume_unwind(failed.into_panic());
        }
    }

    /// Counts the submitted responses that were not taken yet.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns the bytes of all documents in the queue.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Shared {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().expect("nothing that can panic is done while it is locked")
    }

    /// Scans what waits, and what comes meanwhile.
    fn scan(&self) {
        let mut done = None;
        while let Some(fetched) = self.exchange(done) {
            done = Some(scanned(fetched));
        }
    }

    /// Returns a scanned response to the crawl, and takes the next one.
    fn exchange(&self, scanned: Option<Scanned>) -> Option<Scanned> {
        let mut queues = self.queues();
        queues.done.extend(scanned);
        let next = queues.waiting.pop_front();
        queues.is_scanning = next.is_some();
        if next.is_none() || queues.done.len() >= AT_ONCE {
            self.progress.notify_one();
        }
        next
    }
}

/// Adds the facts of the document to the response of a page.
fn scanned(mut fetched: Scanned) -> Scanned {
    if let Scanned::Fetched { url, result, raw, .. } = &mut fetched
        && let Ok(response) = &result.response
        && response.redirect_target(url).is_none()
        && response.is_page()
    {
        *raw = Some(Box::new(read_facts(response)));
    }
    fetched
}
