//! Crawls a site with the `spider` crate, reads thirteen fields and the number of words of each page, and prints how many pages it saw.
//! usage: `bench-spider URL`

use scraper::{Html, Selector};
use spider::website::Website;
use tokio::sync::broadcast::error::RecvError;

/// The fields that crawlers of this kind are used for.
const FIELDS: [&str; 13] = [
    "title",
    "meta[name=description]",
    "meta[name=robots]",
    "link[rel=canonical]",
    "link[rel=alternate][hreflang]",
    "meta[property^='og:']",
    "script[type='application/ld+json']",
    "html[lang]",
    "h1",
    "h2",
    "img",
    "a[href]",
    "body",
];

struct Fields(Vec<Selector>);

impl Fields {
    fn new() -> Self {
        Self(FIELDS.iter().map(|text| Selector::parse(text).expect("a selector")).collect())
    }

    /// How many fields and words a page has, so that nothing of the work can be left out.
    fn read(&self, html: &str) -> usize {
        let document = Html::parse_document(html);
        let mut seen = 0;
        for selector in &self.0 {
            for element in document.select(selector) {
                seen += element.value().attrs().map(|(_, value)| value.len()).sum::<usize>();
                seen += element.text().map(|text| text.split_whitespace().count()).sum::<usize>();
            }
        }
        seen
    }
}

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(1).expect("usage: bench-spider URL");
    let mut website = Website::new(&url);
    website.with_respect_robots_txt(true).with_delay(0).with_user_agent(Some("bench-spider"));
    let mut pages = website.subscribe(4096);
    let reader = tokio::spawn(async move {
        let (fields, mut count, mut seen, mut missed) = (Fields::new(), 0_u64, 0_usize, 0_u64);
        loop {
            match pages.recv().await {
                Ok(page) => {
                    count += 1;
                    seen += fields.read(&page.get_html());
                }
                Err(RecvError::Lagged(some)) => missed += some,
                Err(RecvError::Closed) => return (count, seen, missed),
            }
        }
    });
    website.crawl().await;
    website.unsubscribe();
    drop(website);
    let (pages, seen, missed) = reader.await.expect("the reader of pages");
    println!("{pages} pages, {missed} missed, {seen} pieces");
}
