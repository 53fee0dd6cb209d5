//! Threads for the analysis of answers, which takes a processor for a millisecond and more. Used by asking.
//! Must never take a thread that answers requests: hundreds of answers may come in one moment.
//! See docs/decisions/0366.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;

/// Half of the processors, at least one. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub struct AnalysisThreads(Arc<Semaphore>);

impl Default for AnalysisThreads {
    fn default() -> AnalysisThreads {
        let processors = available_parallelism().map_or(1, NonZero::get);
        AnalysisThreads(Arc::new(Semaphore::new((processors / 2).max(1))))
    }
}

impl AnalysisThreads {
    /// Does work when its turn comes.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let _place = self.0.acquire().await.expect("never closed");
        tokio::task::spawn_blocking(work).await.expect("the analysis does not panic")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn no_more_is_done_at_once_than_there_are_threads() {
        static AT_ONCE: AtomicUsize = AtomicUsize::new(0);
        let threads = AnalysisThreads(Arc::new(Semaphore::new(2)));
        let work = || {
            let running = AT_ONCE.fetch_add(1, Ordering::SeqCst) + 1;
            std::thread::sleep(Duration::from_millis(20));
            AT_ONCE.fetch_sub(1, Ordering::SeqCst);
            running
        };

        let most = futures::future::join_all((0..10).map(|_| threads.run(work))).await;

        assert_eq!(most.into_iter().max(), Some(2));
    }
}
