//! Interim responses (103 Early Hints) of an HTTP/1.1 connection, which the HTTP library cannot send: the connection writes them
//! itself, between two responses. Used by forwarding. Must never write between the bytes of a response.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context;

use futures::task::AtomicWaker;

/// Bytes of interim responses that wait; further ones are left out, since nothing depends on them.
const MAX_BYTES: usize = 32 * 1024;

/// The interim responses of one connection. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct InterimResponses(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_waiting: AtomicBool,
    queue: Mutex<Queue>,
    task: AtomicWaker,
}

#[derive(Debug, Default)]
struct Queue {
    /// A request waits for its response.
    is_open: bool,
    bytes: Vec<u8>,
}

impl InterimResponses {
    /// Takes interim responses to a request, from now until its response is known.
    pub fn open(&self) {
        self.queue().is_open = true;
    }

    /// Takes no more: the response comes next.
    pub fn close(&self) {
        self.queue().is_open = false;
    }

    /// Has the connection write a whole interim response.
    pub fn send(&self, response: &[u8]) {
        let mut queue = self.queue();
        if !queue.is_open || queue.bytes.len() + response.len() > MAX_BYTES {
            return;
        }
        queue.bytes.extend_from_slice(response);
        self.0.is_waiting.store(true, Ordering::Release);
        drop(queue);
        self.0.task.wake();
    }

    /// Moves what waits into `target`; wakes the task when more comes.
    pub(super) fn take(&self, context: &Context<'_>, target: &mut Vec<u8>) {
        self.0.task.register(context.waker());
        if self.0.is_waiting.swap(false, Ordering::Acquire) {
            std::mem::swap(target, &mut self.queue().bytes);
        }
    }

    /// Forgets what waits: the bytes of a response are on their way.
    pub(super) fn clear(&self) {
        if self.0.is_waiting.swap(false, Ordering::Acquire) {
            self.queue().bytes.clear();
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
