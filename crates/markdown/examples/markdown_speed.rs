//! Prints how long Markdown of a page takes beside its goal: `cargo run --release -p markdown --example markdown_speed`.
//! The times are of this thread's wall clock; run it on an idle machine. A file of HTML may be named instead.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a measuring tool")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use url::Url;

/// Bytes of the page that the goal is for.
const PAGE_BYTES: usize = 60_000;
const GOAL: Duration = Duration::from_millis(2);

const PRODUCT: &str = r##"<li class="product-card col-12 col-md-4" data-id="4711"><article><a href="/pots/blue-teapot?ref=list" class="card-link">
<img src="/images/blue-teapot-640.webp" alt="Blue teapot with a bamboo handle" width="640" height="480" loading="lazy"><h3 class="title">Blue teapot</h3></a>
<p class="price"><span class="currency">EUR</span> <b>39.90</b> &ndash; <em>free shipping</em>, arrives in 2&#8211;3 days</p>
<svg viewBox="0 0 24 24" class="star"><path d="M12 2l3 7h7l-5.5 4.5L18 21l-6-4-6 4 1.5-7.5L2 9h7z"/></svg>
<button type="button" class="btn btn-primary">Add to cart</button></article></li>"##;
const PROSE: &str = r##"<h2 id="glaze">Glaze &amp; firing</h2><p>Each pot is thrown by hand from <a href="/clay">local stoneware</a>, dried for a week
and fired twice: at 980&nbsp;°C, and again at <strong>1,240&nbsp;°C</strong>. See <code>firing.log</code> of your batch for the curve.</p>
<ul><li>dishwasher-safe</li><li>no lead, no cadmium</li></ul><table><thead><tr><th>Size</th><th>Volume</th></tr></thead><tbody><tr><td>S</td><td>0.4 l</td></tr>
<tr><td>L</td><td>1.2 l</td></tr></tbody></table>"##;

fn main() -> std::io::Result<()> {
    let address = Url::parse("https://shop.example/pots").expect("the address is constant");
    let page = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => page_of(PAGE_BYTES),
    };
    let time = fastest(500, || drop(black_box(markdown::convert(&page, &address))));
    let verdict = if time <= GOAL { "holds" } else { "MISSED" };
    println!("{} bytes: {:.3} ms, goal {GOAL:?}: {verdict}", page.len(), time.as_secs_f64() * 1e3);
    for (name, page) in [
        ("1,000 lists", "<ul><li>a".repeat(1_000)),
        ("10 MB of prose", page_of(10_000_000)),
        ("10 MB of bold", "<b>a".repeat(2_500_000)),
        ("10 MB of divs", "<div>".repeat(2_000_000)),
        ("10 MB of rules", "<hr>".repeat(2_500_000)),
        (
            "10 MB of attributes",
            format!("<p {}>", (0..1_200_000).map(|at| format!("{at:x}=a ")).collect::<String>()),
        ),
        ("10 MB of paragraphs in quotes", "<blockquote>".repeat(600) + &"<p>a".repeat(2_500_000)),
        ("10 MB of links", "<a href=#>a</a>".repeat(700_000)),
    ] {
        let time = fastest(1, || drop(black_box(markdown::convert(&page, &address))));
        let text = markdown::convert(&page, &address).text.len();
        println!("{name:<32} {:>9.1} ms, {text} bytes", time.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// Makes a page of about this size.
fn page_of(bytes: usize) -> String {
    let part = format!("<section>{PROSE}<ul class=\"row\">{}</ul></section>", PRODUCT.repeat(6));
    let head = r#"<!DOCTYPE html><html lang="en"><head><title>Pots</title><style>body { margin: 0 }</style></head><body><header><nav><a href="/">Home</a></nav></header><main>"#;
    head.to_owned() + &part.repeat(bytes / part.len() + 1) + "</main></body></html>"
}

/// Returns the fastest of some runs, which other processes disturb least.
fn fastest(runs: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}
