//! How long the tab waits for what: written by page-script/build.mjs from page-script/rules.json. Edit that. Used by the state machine.

use std::time::Duration;

/// For a script or style sheet of the document that is still on its way when the page has reported itself quiet.
pub(super) const SCRIPT_GRACE: Duration = Duration::from_millis(8_000);

/// For a script that has come: it is parsed beside the page, and may ask for others.
pub(super) const PARSING: Duration = Duration::from_millis(40);

/// For the report of a page that is out of time, and once more when its scripts were stopped.
pub(super) const CAPTURE_LIMIT: Duration = Duration::from_millis(400);

/// For a page that may download no more: it goes on with what it has.
pub(super) const CUT_GRACE: Duration = Duration::from_millis(500);

/// For the reason why a navigation came to no document.
pub(super) const ABORT_GRACE: Duration = Duration::from_millis(300);

/// For a navigation that a script has begun, until it asks for its document.
pub(super) const REQUEST_GRACE: Duration = Duration::from_millis(1_000);

/// For the response to that; then the page has left all the same.
pub(super) const RESPONSE_GRACE: Duration = Duration::from_millis(3_000);

/// For where a redirect within the site leads: perhaps back.
pub(super) const HOP_GRACE: Duration = Duration::from_millis(1_000);

/// For the same when a response has brought a cookie.
pub(super) const COOKIE_GRACE: Duration = Duration::from_millis(3_000);
