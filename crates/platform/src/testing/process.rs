//! A second process of the same installation, and the end of one.

use std::sync::Arc;

use browser::fake::FakeRenderer;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Services, TestApp};
use crate::Platform;
use crate::config::Config;
use crate::draining::Draining;

impl<S: Services> TestApp<S> {
    /// Creates another process on the same database, object store and clock, with memory and a browser of its own.
    pub async fn second(&self) -> TestApp<S> {
        self.second_with(|_| {}).await
    }

    /// Creates another process with other settings.
    pub async fn second_with(&self, change: impl FnOnce(&mut Config)) -> TestApp<S> {
        let mut config = (*self.state.platform().config).clone();
        change(&mut config);
        let renderer = Arc::new(FakeRenderer::new());
        let state = S::on(Platform {
            config: Arc::new(config),
            renderer: renderer.clone(),
            tasks: TaskTracker::new(),
            draining: Draining::default(),
            shutdown: CancellationToken::new(),
            ..self.state.platform().clone()
        });
        let envelope = state.envelope();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        TestApp { state, clock: self.clock.clone(), renderer, envelope, _folder: folder }
    }

    /// Ends a process in order.
    pub async fn stop(self) {
        let platform = self.state.platform();
        platform.shutdown.cancel();
        platform.tasks.close();
        platform.tasks.wait().await;
    }
}
