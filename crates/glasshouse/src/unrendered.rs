//! The renderer of a process that does not render: commands, and nodes without the role `render`.
//! Answers every render with a clear refusal; never starts a browser.

use browser::{
    BrowserHealth, PageView, RenderCapacity, RenderError, RenderLoad, RenderRequest, Rendered, Renderer,
    ViewRequest,
};
use futures::future::BoxFuture;

/// Renderer that refuses every render.
#[derive(Debug)]
pub struct Unrendered;

const WHY: &str = "this process does not render (server.roles has no \"render\")";

impl Renderer for Unrendered {
    fn render(&self, _: RenderRequest) -> BoxFuture<'_, Result<Rendered, RenderError>> {
        Box::pin(async move { Err(RenderError::NoBrowser(WHY.to_owned())) })
    }

    /// Sets no limit, because another process renders.
    fn capacity(&self, _: &RenderLoad) -> RenderCapacity {
        RenderCapacity { all: usize::MAX, background: usize::MAX }
    }

    fn view(&self, _: ViewRequest) -> BoxFuture<'_, PageView> {
        Box::pin(async move { PageView::failed(RenderError::NoBrowser(WHY.to_owned())) })
    }

    /// Reports a usable browser, because a node without browsers is ready for its work.
    fn health(&self) -> BoxFuture<'_, BrowserHealth> {
        Box::pin(async move {
            BrowserHealth {
                usable: true,
                version: None,
                confined: true,
                sandboxed: true,
                frames_on_demand: false,
                cgroup: false,
                problem: Some(WHY.to_owned()),
                active: 0,
            }
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}
