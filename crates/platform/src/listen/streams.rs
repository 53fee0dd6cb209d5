//! The tasks that answer single requests of HTTP/2 connections, each ended when its client does not take what it is sent.
//! A closed window blocks a stream while the connection looks alive, so that no limit on the socket sees it.
//! Used by the edge's TLS listener; bodies report here ([`handed_over`], [`asked_for_more`]).

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::pressure::{Pressure, WaitingBytes};
use super::stall::Stall;

/// Bytes that a body hands over at once: less waits on a stream whose client reads nothing.
pub const PIECE_BYTES: usize = 32 * 1024;

tokio::task_local! {
    static STREAM: RefCell<Outgoing>;
}

/// Last piece that a stream's body has handed over.
struct Outgoing {
    since: Option<Instant>,
    waiting: WaitingBytes,
}

/// Returns true when the present task answers a request of an HTTP/2 connection.
pub fn is_one() -> bool {
    STREAM.try_with(|_| ()).is_ok()
}

/// Records that a body gave bytes, which the client has to take. Does nothing outside a stream.
pub fn handed_over(bytes: usize) {
    let _ = STREAM.try_with(|stream| {
        let mut stream = stream.borrow_mut();
        stream.since = Some(Instant::now());
        stream.waiting.set(bytes);
    });
}

/// Records that a body is asked for more: the client has taken what it was given. Does nothing outside a stream.
pub fn asked_for_more() {
    let _ = STREAM.try_with(|stream| {
        let mut stream = stream.borrow_mut();
        stream.since = None;
        stream.waiting.set(0);
    });
}

/// Runs the streams of HTTP/2 connections where shutdown waits for them.
#[derive(Debug, Clone)]
pub struct Streams {
    tasks: TaskTracker,
    pressure: Pressure,
    stall: Duration,
}

impl Streams {
    /// Ends streams whose client takes nothing for `stall`.
    pub fn new(tasks: &TaskTracker, pressure: &Pressure, stall: Duration) -> Streams {
        Streams { tasks: tasks.clone(), pressure: pressure.clone(), stall }
    }
}

impl<F> Executor<F> for Streams
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    fn execute(&self, task: F) {
        self.tasks.spawn(until_stalled(task, self.pressure.clone(), self.stall));
    }
}

/// Runs a stream's task to its end, or until its client has stood still for too long: dropping it resets the stream.
async fn until_stalled<F: Future>(task: F, pressure: Pressure, limit: Duration) {
    let outgoing = Outgoing { since: None, waiting: pressure.share() };
    let watched = async move {
        let mut task = pin!(task);
        let mut stall = Stall::default();
        poll_fn(|context| {
            if task.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            let Some(since) = STREAM.with(|stream| stream.borrow().since) else {
                stall.clear();
                return Poll::Pending;
            };
            match stall.is_over(since, limit, &pressure, context) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    };
    STREAM.scope(RefCell::new(outgoing), watched).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn a_stream_whose_client_takes_nothing_ends() {
        let start = Instant::now();

        let task = async {
            handed_over(100);
            std::future::pending::<()>().await;
        };
        until_stalled(task, Pressure::default(), LIMIT).await;

        assert!(start.elapsed() >= LIMIT, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn a_stream_that_waits_for_its_origin_goes_on() {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let task = async move {
            handed_over(100);
            asked_for_more();
            tokio::time::sleep(LIMIT * 3).await;
            let _ = sender.send("done");
        };

        until_stalled(task, Pressure::default(), LIMIT).await;

        assert_eq!(receiver.await, Ok("done"));
    }

    #[tokio::test]
    async fn what_waits_on_streams_counts_for_all() {
        let pressure = Pressure::with_limit(1000);
        let usual = Duration::from_secs(30);

        let task = async {
            handed_over(2000);
            pressure.patience(usual)
        };
        let outgoing = RefCell::new(Outgoing { since: None, waiting: pressure.share() });
        let patience = STREAM.scope(outgoing, task).await;

        assert!(patience < usual);
        assert_eq!(pressure.patience(usual), usual, "the stream has ended");
    }
}
