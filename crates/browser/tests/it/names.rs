//! Names made from the time of the render: renamed everywhere, so that references stay valid.

use crate::article::article;
use crate::support::Bench;

/// Renders markup that contains the time of the render as `${now}`, and returns that part of the snapshot.
async fn renamed(markup: &str) -> String {
    let script = format!("const now = Date.now(); out.innerHTML = `{markup}`");

    let page = Bench::new().await.render_reply(article(&script)).await.unwrap();

    let (_, shown) = page.html.split_once("<div id=\"out\">").unwrap();
    shown.split_once("</div><script").map_or(shown, |(shown, _)| shown).to_owned()
}

/// A renamed name.
const NAMED: &str = "1000000000000";

#[tokio::test]
async fn every_reference_to_a_name_made_of_the_current_time_is_renamed() {
    for (markup, wanted) in [
        ("<i id=a-${now}></i><a href=#a-${now}></a>", "href=\"#a-N\""),
        ("<i id=a-${now}></i><a href=/page?t=1#a-${now}></a>", "href=\"/page?t=1#a-N\""),
        (
            "<style>#a-${now} .b-${now} { color: red }</style><i id=a-${now} class=b-${now}></i>",
            "#a-N .b-N {",
        ),
        (
            "<i class=b-${now} style='animation-name: b-${now}; background: url(#b-${now})'></i>",
            "background: url(#b-N)",
        ),
        (
            "<svg><filter id=f-${now}></filter><rect filter='url(#f-${now})'></rect></svg>",
            "filter=\"url(#f-N)\"",
        ),
        ("<svg><g id=g-${now}></g><use xlink:href=#g-${now}></use></svg>", "xlink:href=\"#g-N\""),
        ("<svg><g id=g-${now}></g><animate begin=g-${now}.click></animate></svg>", "begin=\"g-N.click\""),
        ("<label id=l-${now} for=l-${now} aria-describedby=l-${now}></label>", "aria-describedby=\"l-N\""),
        ("<map name=m-${now}></map><img usemap=#m-${now}>", "usemap=\"#m-N\""),
        ("<p popover id=p-${now}></p><button popovertarget=p-${now}></button>", "popovertarget=\"p-N\""),
        ("<p id=p-${now}></p><button commandfor=p-${now}></button>", "commandfor=\"p-N\""),
        ("<p id=p-${now} itemref=p-${now}></p>", "itemref=\"p-N\""),
    ] {
        let shown = renamed(markup).await;

        assert!(shown.contains(&wanted.replace('N', NAMED)), "{markup}: {shown}");
    }
}

#[tokio::test]
async fn times_in_text_and_addresses_are_kept() {
    let markup = "<i id=a-${now} title=${now}>${now}</i><a href=/at/${now}?t=${now}></a><style>.a { background: url(/drawn-${now}.png) }</style>";

    let shown = renamed(markup).await;

    assert_eq!(shown.matches(NAMED).count(), 1, "{shown}");
    assert!(!shown.contains(&format!("title=\"{NAMED}")), "{shown}");
}
