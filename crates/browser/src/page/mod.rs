//! The script that runs in every page before the page's own scripts, and the messages between it and the tab.
//! Used by the tab. Must never contain data that a page controls, nor send orders where a page can receive them.
//! See docs/decisions/0006, docs/decisions/0100, docs/decisions/0104 and docs/decisions/0224.

use serde::{Deserialize, Serialize};

use crate::Inspection;

/// Name of the binding that carries messages out of the page. The script deletes it before page code runs.
pub(crate) const BINDING: &str = "__glasshouse";

/// Name of the global function that starts the script. Deleted before page code runs.
const RUN: &str = "__glasshouseRun";
const IS_WANTED: &str = "window !== window.top || location.protocol !== 'about:'";

/// The script, bundled from `page-script/src` by `build.mjs`, so that building the crate needs no Node.
const BUNDLE: &str = include_str!("../../page-script/bundle.js");

/// Options of the script for one render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    /// Secret of the render, which authenticates messages of the script and orders of the tab.
    pub(crate) nonce: String,
    /// Marker of the render, which its documents pass on in the tab's session storage. The page may see it.
    pub(crate) mark: String,
    /// Frames are drawn on demand, so the script has to request them.
    pub(crate) frames: bool,
    /// Time without changes after which a page may be ready, in milliseconds.
    pub(crate) quiet_ms: u32,
    /// Time limit of the page after the start of the navigation, in milliseconds.
    pub(crate) hard_ms: u64,
    /// Selector that must match before the page is ready.
    pub(crate) wait_for_selector: Option<String>,
    /// Maximum characters of HTML. Over it, only the size is reported.
    pub(crate) html_bytes: usize,
    /// The tab has had other pages, whose storage is cleared first.
    pub(crate) used: bool,
    /// The document forbids scripts: it is reported at once.
    pub(crate) forbids_scripts: bool,
    /// The report includes an [`Inspection`], for audits. See docs/decisions/0161.
    pub(crate) inspects: bool,
}

/// Order of the tab to the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Report the page in its present state.
    Capture,
    /// The last report was premature: continue, and report again.
    Resume,
    /// Report the page instead of the redirect that was reported last.
    IgnoreRedirect,
    /// The network is idle: time in which only timers are pending may be skipped.
    Skip,
    /// The loading of the document broke off: nothing more of it arrives.
    BrokenOff,
}

/// Message of the script to the tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    /// Request for a frame with callbacks and layout only.
    Frame,
    /// Request for a frame with all stages (`noDisplayUpdates: false`), when cheap frames have no effect.
    FullFrame,
    /// Only timers are pending as far as the page can see: request to skip time.
    Skip,
    /// A script or style sheet of another site has blocked the document for too long: request to abort it.
    AbortOtherSites,
    /// The page is ready, or was cut off.
    Report(Box<Report>),
    /// A script has begun a navigation to another document.
    Navigation(Navigation),
    /// A message of the script that cannot be parsed. No better one will follow.
    Unreadable,
}

/// Condition that ended the wait for the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WaitEnd {
    /// The page set its ready flag.
    Flag,
    /// Loaded, unchanged, nothing pending.
    Quiet,
    /// Something is pending endlessly, but the page has not changed for long.
    Still,
    /// `hard_ms` has passed.
    Timeout,
    /// The tab ordered a capture.
    Forced,
}

/// Source of a redirect that the script reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Via {
    /// Metas declare status and location.
    Declared,
    /// A refresh to another address within seconds.
    Refresh,
    /// The router has changed the path.
    Router,
}

/// Report of a page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    nonce: String,
    /// Condition that ended the wait.
    pub(crate) why: WaitEnd,
    /// Address of the document, including changes by the page's history API.
    pub(crate) url: String,
    /// Title of the document.
    pub(crate) title: String,
    /// Status that the page declares; 0: none.
    pub(crate) status: u16,
    /// Target of a redirect; there is no HTML then.
    pub(crate) location: Option<String>,
    /// Source of the redirect.
    pub(crate) via: Option<Via>,
    /// Characters of HTML when they exceed `html_bytes`; there is no HTML then.
    pub(crate) too_large: Option<usize>,
    /// The document, as text behind the JSON.
    #[serde(skip)]
    pub(crate) html: String,
    /// Measurements for an audit.
    pub(crate) inspection: Option<Inspection>,
}

/// A navigation begun by a script.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Navigation {
    nonce: String,
    /// Absolute target.
    pub(crate) location: String,
    /// Redirect status (3xx).
    pub(crate) status: u16,
}

/// Returns the script without options, for `Page.addScriptToEvaluateOnNewDocument`: it is compiled once per tab. [`start`] runs it.
pub(crate) fn bundle() -> String {
    // Not needed in the blank page between two renders.
    format!("if ({IS_WANTED}) {{ globalThis.{RUN} = (function (renderOptions) {{\n{BUNDLE}}}); }}")
}

/// Returns the call that runs the script in the next document with the options of one render.
pub(crate) fn start(options: &Options) -> String {
    let options = json_of(options);
    format!("if ({IS_WANTED}) {{ const run = globalThis.{RUN}; delete globalThis.{RUN}; run({options}); }}")
}

/// Returns a script that runs at once in the isolated world, for a document that forbids scripts.
pub(crate) fn script(options: &Options) -> String {
    format!("void (function (renderOptions) {{\n{BUNDLE}}})({});", json_of(options))
}

fn json_of(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("strings and numbers always serialise")
}

/// Returns the expression of an order, for the isolated world, where built-ins are not replaced by the page.
pub(crate) fn command(nonce: &str, command: Command) -> String {
    order(
        nonce,
        match command {
            Command::Capture => "capture",
            Command::Resume => "resume",
            Command::IgnoreRedirect => "ignore redirect",
            Command::Skip => "skip",
            Command::BrokenOff => "broken off",
        },
    )
}

/// Returns the expression that deactivates the document, see `page-script/src/deactivation.js`. Its value is `false` when nothing
/// of the document can affect the next one; otherwise the tab must navigate to the blank page first.
pub(crate) fn deactivate(nonce: &str) -> String {
    order(nonce, "deactivate")
}

fn order(nonce: &str, detail: &str) -> String {
    format!("dispatchEvent(new CustomEvent({}, {{ detail: '{detail}', cancelable: true }}))", json_of(nonce))
}

/// Parses a message from the binding: a line of JSON, then the text of the document (docs/decisions/0100).
/// Returns `None` for a message without the nonce of this render.
pub(crate) fn parse(payload: &str, nonce: &str) -> Option<Message> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow)]
        k: std::borrow::Cow<'a, str>,
    }
    if payload == "F" {
        return Some(Message::Frame);
    }
    if payload == "D" {
        return Some(Message::FullFrame);
    }
    if payload == "S" {
        return Some(Message::Skip);
    }
    if payload == "G" {
        return Some(Message::AbortOtherSites);
    }
    let (head, html) = payload.split_once('\n').unwrap_or((payload, ""));
    if !head.contains(nonce) {
        return None;
    }
    let read = || {
        let kind: Kind<'_> = serde_json::from_str(head).ok()?;
        match kind.k.as_ref() {
            "done" => {
                let report: Report = serde_json::from_str(head).ok()?;
                (report.nonce == nonce)
                    .then(|| Message::Report(Box::new(Report { html: html.to_owned(), ..report })))
            }
            "navigation" => {
                let begun: Navigation = serde_json::from_str(head).ok()?;
                (begun.nonce == nonce).then_some(Message::Navigation(begun))
            }
            _ => None,
        }
    };
    Some(read().unwrap_or(Message::Unreadable))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = concat!(
        r#"{"k":"done","why":"quiet","url":"https://a.example/","title":"A","status":404,"#,
        r#""location":null,"via":null,"tooLarge":null,"inspection":null,"nonce":"n1"}"#,
        "\n<p>first\n<p>second"
    );

    #[test]
    fn a_report_with_the_nonce_of_the_render_is_accepted() {
        let message = parse(DONE, "n1");

        let Some(Message::Report(report)) = message else { panic!("no report: {message:?}") };
        assert_eq!(
            (report.why, report.status, report.html.as_str()),
            (WaitEnd::Quiet, 404, "<p>first\n<p>second")
        );
    }

    #[test]
    fn a_report_with_another_nonce_is_not_from_the_script() {
        let message = parse(DONE, "n2");

        assert_eq!(message, None);
    }

    #[test]
    fn frequent_messages_are_single_letters() {
        let codes = ["F", "D", "S", "G"];

        let messages = codes.map(|code| parse(code, "n1"));

        let known = [Message::Frame, Message::FullFrame, Message::Skip, Message::AbortOtherSites];
        assert_eq!(messages, known.map(Some));
    }

    #[test]
    fn payloads_without_the_nonce_are_ignored() {
        let payloads = ["", "f", "{}", "[]", r#"{"k":"other","nonce":"n2"}"#, r#"{"k":"done","nonce":"n2"}"#];

        let messages = payloads.map(|payload| parse(payload, "n1"));

        assert!(messages.iter().all(Option::is_none));
    }

    #[test]
    fn a_payload_with_the_nonce_that_cannot_be_parsed_is_unreadable() {
        let payloads = [r#"{"k":"done","nonce":"n1"}"#, r#"{"k":"other","nonce":"n1"}"#, "n1"];

        let messages = payloads.map(|payload| parse(payload, "n1"));

        assert!(messages.iter().all(|message| *message == Some(Message::Unreadable)), "{messages:?}");
    }

    #[test]
    fn options_cannot_inject_code_into_the_script() {
        let options = Options {
            nonce: "n1".into(),
            mark: "m1".into(),
            frames: true,
            quiet_ms: 30,
            hard_ms: 15_000,
            wait_for_selector: Some(r#"a[title="');alert(1)//"]"#.into()),
            html_bytes: 1_000,
            used: true,
            forbids_scripts: false,
            inspects: false,
        };

        let sources = [start(&options), script(&options)];

        for source in sources {
            assert!(source.contains(
                r#""quietMs":30,"hardMs":15000,"waitForSelector":"a[title=\"');alert(1)//\"]","htmlBytes":1000,"used":true,"forbidsScripts":false,"inspects":false});"#
            ));
        }
    }
}
