//! How long the tab waits for what: written by page-script/build.mjs from page-script/rules.json. Edit that. Used by the state machine.

use std::time::Duration;

/// For the next byte of what the page's own site is asked for.
pub(super) const SCRIPT_GRACE: Duration = Duration::from_millis(8_000);

/// For a script that has come: it is parsed beside the page, and may ask for others.
pub(super) const PARSING: Duration = Duration::from_millis(40);

/// For what a page or the browser says about an order or an end: the report of a page out of time, the rest of one that may download no more, the reason why a navigation came to no document.
pub(super) const REACTION_LIMIT: Duration = Duration::from_millis(500);

/// For a navigation that a script has begun, until it asks for its document; and where a redirect within the site leads.
pub(super) const NAVIGATION_START_LIMIT: Duration = Duration::from_millis(1_000);

/// For the response to that, and a redirect whose response has brought a cookie.
pub(super) const NAVIGATION_RESPONSE_LIMIT: Duration = Duration::from_millis(3_000);
