//! Expressions that run in an isolated world of the page: same document, other globals. Used for orders to the page script.
//! Must never run in the page's own world, where the page can replace built-ins.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::Tab;
use crate::cdp::{Cdp, CdpError};

const WORLD: &str = "glasshouse";

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

#[derive(Deserialize)]
struct Evaluated {
    result: Remote,
}

#[derive(Deserialize)]
struct Remote {
    #[serde(default)]
    value: Value,
}

impl Tab {
    /// Evaluates an expression in the isolated world of the document, and returns its value.
    pub fn evaluate_isolated(
        &self,
        expression: String,
    ) -> impl Future<Output = Result<Value, CdpError>> + Send + use<> {
        let cached = self.world.clone();
        let evaluator = Evaluator {
            cdp: self.browser.cdp.clone(),
            session: self.session.clone(),
            frame: self.target.clone(),
        };
        async move {
            if let Some(world) = cached.get() {
                match evaluator.evaluate(&world, &expression).await {
                    // The document has been replaced.
                    Err(CdpError::Refused { .. }) => {}
                    answer => return answer,
                }
            }
            match evaluator.evaluate_in_new_world(&cached, &expression).await {
                // The document was replaced in between.
                Err(CdpError::Refused { .. }) => evaluator.evaluate_in_new_world(&cached, &expression).await,
                answer => answer,
            }
        }
    }
}

/// Isolated world of the current document, once created. The browser does not reuse its ids.
#[derive(Debug, Clone, Default)]
pub(super) struct CachedWorld(Arc<Mutex<Option<World>>>);

impl CachedWorld {
    fn get(&self) -> Option<World> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, world: Option<World>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = world;
    }

    /// Forgets the world before another document.
    pub fn forget(&self) {
        self.set(None);
    }
}

/// Connection and frame in which expressions are evaluated.
struct Evaluator {
    cdp: Cdp,
    session: String,
    frame: String,
}

impl Evaluator {
    async fn evaluate_in_new_world(&self, cached: &CachedWorld, expression: &str) -> Result<Value, CdpError> {
        let wanted = json!({ "frameId": self.frame, "worldName": WORLD });
        let world: World =
            self.cdp.send(Some(&self.session), "Page.createIsolatedWorld", wanted).read().await?;
        cached.set(Some(world));
        self.evaluate(&world, expression).await
    }

    async fn evaluate(&self, world: &World, expression: &str) -> Result<Value, CdpError> {
        let order = json!({ "expression": expression, "contextId": world.execution_context_id, "silent": true, "returnByValue": true });
        let answer: Evaluated = self.cdp.send(Some(&self.session), "Runtime.evaluate", order).read().await?;
        Ok(answer.result.value)
    }
}
