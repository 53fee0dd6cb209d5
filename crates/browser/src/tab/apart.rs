//! Expressions that run beside the page, in a world of the tab's own: same document, other globals. Used for orders.
//! Must never run in the page's world: what a page has replaced there would hear them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Tab;
use crate::cdp::{Cdp, CdpError};

const WORLD: &str = "glasshouse";

#[derive(Deserialize)]
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
    /// Evaluates an expression beside the page, whose document it has, and gives its value.
    pub fn evaluate_apart(
        &self,
        expression: String,
    ) -> impl Future<Output = Result<Value, CdpError>> + Send + use<> {
        let (cdp, session, frame) = (self.browser.cdp.clone(), self.session.clone(), self.target.clone());
        async move {
            match evaluate(&cdp, &session, &frame, &expression).await {
                // The document was replaced in between.
                Err(CdpError::Refused { .. }) => evaluate(&cdp, &session, &frame, &expression).await,
                answer => answer,
            }
        }
    }
}

async fn evaluate(cdp: &Cdp, session: &str, frame: &str, expression: &str) -> Result<Value, CdpError> {
    let wanted = json!({ "frameId": frame, "worldName": WORLD });
    let world: World = cdp.send(Some(session), "Page.createIsolatedWorld", wanted).read().await?;
    let order = json!({ "expression": expression, "contextId": world.execution_context_id, "silent": true, "returnByValue": true });
    let answer: Evaluated = cdp.send(Some(session), "Runtime.evaluate", order).read().await?;
    Ok(answer.result.value)
}
