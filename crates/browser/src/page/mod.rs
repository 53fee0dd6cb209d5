//! The script that runs inside every page before its own, and the messages it exchanges with the tab.
//! Used by the tab. Must never be built from anything a page controls, nor given orders where a page can hear them.
//! See docs/decisions/0006, docs/decisions/0100, docs/decisions/0104, docs/decisions/0105, docs/decisions/0100 and docs/decisions/0224.

use serde::{Deserialize, Serialize};

use crate::Inspection;

/// Name of the binding that carries messages out of the page. The script deletes it before page code runs.
pub(crate) const BINDING: &str = "__glasshouse";

/// Name under which the script waits for its options; gone before page code runs.
const RUN: &str = "__glasshouseRun";
const IS_WANTED: &str = "window !== window.top || location.protocol !== 'about:'";

/// The script, bundled from the modules of `page-script/src` by its `build.mjs` so that no build of the crate needs Node.
const BUNDLE: &str = include_str!("../../page-script/bundle.js");

/// What the script is told about one render.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    /// Secret of this render: messages without it are not from the script, and no page can give it orders.
    pub(crate) nonce: String,
    /// What the documents of this render tell each other, in the storage of the tab. The page may come to see it.
    pub(crate) mark: String,
    /// Frames are drawn only when asked for, so the page has to ask.
    pub(crate) frames: bool,
    /// How long nothing may have happened before the page counts as ready, in milliseconds.
    pub(crate) quiet_ms: u32,
    /// When the page is captured as it stands, in milliseconds after the start of its navigation.
    pub(crate) hard_ms: u64,
    /// Selector that must match before the page counts as ready.
    pub(crate) wait_for_selector: Option<String>,
    /// Characters of HTML over which only the size is reported.
    pub(crate) html_bytes: usize,
    /// The tab has had other pages: what they stored for the tab is cleared first.
    pub(crate) used: bool,
    /// The document forbids scripts: it is written out at once, as it is.
    pub(crate) forbids_scripts: bool,
    /// An audit asks: the report has an [`Inspection`]. See docs/decisions/0161.
    pub(crate) inspects: bool,
}

/// An order of the tab to the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Serialise what stands and report it, whatever is pending.
    Capture,
    /// The last report came too early: go on and report again.
    Resume,
    /// The page is where it stands, whatever it said of another place: report it.
    IgnoreRedirect,
    /// Nothing is on its way: time in which only timers are pending may be skipped.
    Skip,
    /// The document's loading broke off: what stands is all there will be of it.
    BrokenOff,
}

/// A message of the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    /// Please draw a frame: callbacks and layout are enough, nothing has to reach the (absent) screen.
    Frame,
    /// Please draw a frame all the way (`noDisplayUpdates: false`): the cheap ones no longer reach the page.
    FullFrame,
    /// Only timers are pending, as far as the page can see: may time be skipped?
    Skip,
    /// The rest of the document has long been waiting for a script or style sheet of another site: it is to do without.
    AbortOtherSites,
    /// The page is ready, or was cut off.
    Report(Box<Report>),
    /// A script sends the visitor to another document.
    Navigation(Navigation),
    /// Something of the script's that cannot be read: nothing better will follow.
    Unreadable,
}

/// Why the script reported a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CaptureReason {
    /// The page set its ready flag.
    Flag,
    /// Loaded, quiet, nothing pending.
    Quiet,
    /// Something hangs, but the page has long been still.
    Still,
    /// `hard_ms` had passed.
    Timeout,
    /// The tab ordered a capture.
    Forced,
}

/// By what a page says that it is elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RedirectSource {
    /// Its metas declare the status and location of a redirect.
    Declared,
    /// It is refreshed with another address in a few seconds.
    Refresh,
    /// Its router has gone to another path.
    Router,
}

/// A captured page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    nonce: String,
    /// Why now.
    pub(crate) why: CaptureReason,
    /// Address of the document, as the page's history left it.
    pub(crate) url: String,
    /// Title of the document.
    pub(crate) title: String,
    /// Status that the page declares, 0 when it declares none.
    pub(crate) status: u16,
    /// Where the page redirects to; there is no HTML then.
    pub(crate) location: Option<String>,
    /// By what it does.
    pub(crate) via: Option<RedirectSource>,
    /// Characters of HTML when they were more than `html_bytes`; there is no HTML then.
    pub(crate) too_large: Option<usize>,
    /// The document; comes behind the rest, as it is.
    #[serde(skip)]
    pub(crate) html: String,
    /// What an audit asked for.
    pub(crate) inspection: Option<Inspection>,
}

/// A navigation that a script has begun.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Navigation {
    nonce: String,
    /// Absolute target.
    pub(crate) location: String,
    /// 3xx.
    pub(crate) status: u16,
}

/// The script without its options, for `Page.addScriptToEvaluateOnNewDocument`: it is compiled once for a tab. [`start`] comes after it.
pub(crate) fn bundle() -> String {
    // The blank page between two renders needs none of it.
    format!("if ({IS_WANTED}) {{ globalThis.{RUN} = (function (renderOptions) {{\n{BUNDLE}}}); }}")
}

/// Runs the script in the next document, for `Page.addScriptToEvaluateOnNewDocument`: the nonce is that of one render.
pub(crate) fn start(options: &Options) -> String {
    let options = json_of(options);
    format!("if ({IS_WANTED}) {{ const run = globalThis.{RUN}; delete globalThis.{RUN}; run({options}); }}")
}

/// Runs the script now, apart from the page: in a document that runs none itself.
pub(crate) fn script(options: &Options) -> String {
    format!("void (function (renderOptions) {{\n{BUNDLE}}})({});", json_of(options))
}

fn json_of(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("strings and numbers always serialise")
}

/// Expression for a world of the tab's own beside the page: what a page replaces is not replaced there.
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

/// Expression that deactivates the document, see `page-script/src/deactivation.js`. Its value is `false` when nothing of it can reach the next
/// document of the tab; anything else says that it must be left by way of a blank page.
pub(crate) fn deactivate(nonce: &str) -> String {
    order(nonce, "deactivate")
}

fn order(nonce: &str, detail: &str) -> String {
    format!("dispatchEvent(new CustomEvent({}, {{ detail: '{detail}', cancelable: true }}))", json_of(nonce))
}

/// Reads what came through the binding: a line of JSON, then the text of the document (docs/decisions/0100).
/// `None`: not from the script of this render, whose nonce nobody else knows.
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
    fn a_report_with_the_nonce_of_the_render_is_read() {
        let message = parse(DONE, "n1");

        let Some(Message::Report(report)) = message else { panic!("no report: {message:?}") };
        assert_eq!(
            (report.why, report.status, report.html.as_str()),
            (CaptureReason::Quiet, 404, "<p>first\n<p>second")
        );
    }

    #[test]
    fn a_report_with_another_nonce_is_not_from_the_script() {
        let message = parse(DONE, "n2");

        assert_eq!(message, None);
    }

    #[test]
    fn what_is_asked_for_often_is_a_single_letter() {
        let codes = ["F", "D", "S", "G"];

        let messages = codes.map(|code| parse(code, "n1"));

        let known = [Message::Frame, Message::FullFrame, Message::Skip, Message::AbortOtherSites];
        assert_eq!(messages, known.map(Some));
    }

    #[test]
    fn what_is_no_message_is_ignored() {
        let payloads = ["", "f", "{}", "[]", r#"{"k":"other","nonce":"n2"}"#, r#"{"k":"done","nonce":"n2"}"#];

        let messages = payloads.map(|payload| parse(payload, "n1"));

        assert!(messages.iter().all(Option::is_none));
    }

    #[test]
    fn what_the_script_says_and_nobody_can_read_is_told_apart_from_what_is_no_message() {
        let payloads = [r#"{"k":"done","nonce":"n1"}"#, r#"{"k":"other","nonce":"n1"}"#, "n1"];

        let messages = payloads.map(|payload| parse(payload, "n1"));

        assert!(messages.iter().all(|message| *message == Some(Message::Unreadable)), "{messages:?}");
    }

    #[test]
    fn options_are_data_in_the_script_whatever_they_contain() {
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
