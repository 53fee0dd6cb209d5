//! Visible text and screenshot of a loaded page. Used by the viewer.
//! Must never exceed its deadline, nor keep a picture over its size limit.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::ViewSession;
use super::model::PagePicture;
use crate::RenderError;

/// Maximum bytes of the text.
const MAX_TEXT_BYTES: usize = 256 << 10;
/// Maximum height of a picture, in CSS pixels.
const MAX_HEIGHT: f64 = 8_000.0;
/// Maximum bytes of a picture.
const MAX_BYTES: usize = 4 << 20;
/// Qualities to try until a picture fits.
const QUALITIES: [u8; 5] = [80, 55, 30, 10, 1];
/// Step of the scrolling that loads lazy pictures, in CSS pixels, and the pause after it.
const SCROLL_STEP: u32 = 1_000;
const SCROLL_PAUSE: Duration = Duration::from_millis(40);
/// Wait for pictures and fonts to load.
const PICTURES_LIMIT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

const TEXT: &str = "(() => { \
    const root = document.body ?? document.documentElement; \
    const text = root === null ? '' : root.innerText ?? root.textContent ?? ''; \
    return { words: (text.match(/\\S+/g) ?? []).length, text: text.slice(0, 262144) }; })()";
const IS_LOADED: &str = "document.fonts.status === 'loaded' && \
    Array.from(document.images).slice(0, 2000).every((image) => image.complete)";
const HEIGHT: &str =
    "Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0)";

/// Visible text of a page.
#[derive(Debug, Default, Deserialize)]
pub(super) struct VisibleText {
    pub words: usize,
    pub text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_content_size: Size,
}

#[derive(Deserialize)]
struct Size {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct Shot {
    data: String,
}

impl ViewSession<'_> {
    /// Reads the visible text.
    pub(super) async fn text(&mut self, deadline: Instant) -> Result<VisibleText, RenderError> {
        let value = self.evaluate(TEXT, deadline).await?;
        let mut text: VisibleText = serde_json::from_value(value).unwrap_or_default();
        let mut end = text.text.len().min(MAX_TEXT_BYTES);
        while !text.text.is_char_boundary(end) {
            end -= 1;
        }
        text.text.truncate(end);
        Ok(text)
    }

    /// Makes lazy pictures load, and waits for pictures and fonts.
    pub(super) async fn load_pictures(&mut self, deadline: Instant) -> Result<(), RenderError> {
        let height = self.evaluate(HEIGHT, deadline).await?.as_f64().unwrap_or_default();
        let height = height.clamp(0.0, MAX_HEIGHT) as u32;
        for top in (SCROLL_STEP..height).step_by(SCROLL_STEP as usize).chain([0]) {
            self.evaluate(&format!("scrollTo({{ top: {top}, behavior: 'instant' }})"), deadline).await?;
            self.wait_for(sleep(SCROLL_PAUSE), deadline).await?;
        }
        let limit = deadline.min(Instant::now() + PICTURES_LIMIT);
        while Instant::now() < limit && self.evaluate(IS_LOADED, deadline).await? != true {
            self.wait_for(sleep(POLL_INTERVAL), deadline).await?;
        }
        Ok(())
    }

    /// Takes a screenshot of the whole page. Returns `None` when it does not fit at any quality or the browser fails to draw it.
    pub(super) async fn picture(&mut self, deadline: Instant) -> Result<Option<PagePicture>, RenderError> {
        let metrics = self.tab.send("Page.getLayoutMetrics", json!({})).read::<Metrics>();
        let Ok(metrics) = self.wait_for(metrics, deadline).await? else { return Ok(None) };
        let whole = metrics.css_content_size.height.max(1.0);
        let height = whole.min(MAX_HEIGHT).ceil();
        let width = f64::from(self.width).min(metrics.css_content_size.width.max(1.0)).ceil();
        for quality in QUALITIES {
            let order = json!({ "format": "webp", "quality": quality, "captureBeyondViewport": true,
                "clip": { "x": 0, "y": 0, "width": width, "height": height, "scale": 1 } });
            let shot = self.tab.send("Page.captureScreenshot", order).read::<Shot>();
            let shot = match self.wait_for(shot, deadline).await? {
                Ok(shot) => STANDARD.decode(shot.data).unwrap_or_default(),
                Err(error) => {
                    tracing::debug!(%error, "no picture of a page");
                    return Ok(None);
                }
            };
            if (1..=MAX_BYTES).contains(&shot.len()) {
                let (width, height) = (width as u32, height as u32);
                let cut = whole > MAX_HEIGHT;
                return Ok(Some(PagePicture { webp: shot.into(), width, height, cut }));
            }
        }
        Ok(None)
    }
}
