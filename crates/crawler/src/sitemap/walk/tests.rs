//! The walk as a specification.

use std::collections::HashMap;
use std::sync::Mutex;

use super::*;

/// A web of files, and a note of what was fetched.
#[derive(Default)]
struct Web {
    files: HashMap<String, Vec<u8>>,
    fetched: Mutex<Vec<String>>,
}

impl Web {
    fn with(files: &[(&str, &str)]) -> Web {
        let files =
            files.iter().map(|(url, body)| (format!("https://{url}"), body.as_bytes().to_vec())).collect();
        Web { files, ..Web::default() }
    }

    async fn read(&self, limits: SitemapLimits) -> Result<Sitemap, SitemapError> {
        self.read_of(&SiteHosts::of("shop.example"), limits).await
    }

    async fn read_of(&self, hosts: &SiteHosts, limits: SitemapLimits) -> Result<Sitemap, SitemapError> {
        let open = async |url: Url| {
            self.fetched.lock().unwrap().push(url.to_string());
            let body = self.files.get(url.as_str()).cloned().ok_or("answered 404")?;
            // Small pieces, so that every boundary falls somewhere awkward.
            let pieces: Vec<_> = body.chunks(7).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            Ok::<_, &str>(stream::iter(pieces))
        };
        let start = Url::parse("https://shop.example/sitemap.xml").unwrap();
        read_site(open, &start, hosts, limits).await
    }

    async fn pages(&self) -> Vec<String> {
        let site = self.read(SitemapLimits::default()).await.unwrap();
        site.pages.iter().map(|page| page.url.to_string()).collect()
    }
}

fn urlset(locs: &[&str]) -> String {
    let url = |loc: &&str| format!("<url><loc>{loc}</loc></url>");
    format!("<urlset>{}</urlset>", locs.iter().map(url).collect::<String>())
}

fn index(locs: &[&str]) -> String {
    let entry = |loc: &&str| format!("<sitemap><loc>https://{loc}</loc></sitemap>");
    format!("<sitemapindex>{}</sitemapindex>", locs.iter().map(entry).collect::<String>())
}

#[tokio::test]
async fn pages_of_the_domain_and_its_twin_are_taken_once_and_foreign_ones_never() {
    let web = Web::with(&[(
        "shop.example/sitemap.xml",
        &urlset(&[
            "https://shop.example/a#top",
            "https://www.shop.example/b",
            "http://www.shop.example/a",
            "https://shop.example/a?utm_source=x",
            "https://evil.example/c",
            "https://shop.example.evil.example/c",
            "https://user:secret@shop.example/c",
            "ftp://shop.example/c",
            "/relative",
        ]),
    )]);

    let site = web.read(SitemapLimits::default()).await.unwrap();

    let pages: Vec<String> = site.pages.iter().map(|page| page.url.into()).collect();
    assert_eq!(pages, ["https://shop.example/a", "https://www.shop.example/b"]);
    let summary = site.files[0].outcome.clone().unwrap();
    assert_eq!((summary.listed, summary.foreign, summary.unusable, summary.duplicates), (9, 2, 3, 2));
}

#[tokio::test]
async fn an_index_is_followed_in_order_and_cycles_are_cut() {
    let web = Web::with(&[
        (
            "shop.example/sitemap.xml",
            &index(&["shop.example/1.xml", "shop.example/2.xml", "shop.example/sitemap.xml"]),
        ),
        ("shop.example/1.xml", &index(&["shop.example/3.xml", "shop.example/sitemap.xml"])),
        ("shop.example/2.xml", &urlset(&["https://shop.example/second"])),
        ("shop.example/3.xml", &urlset(&["https://shop.example/third"])),
    ]);

    let pages = web.pages().await;

    assert_eq!(pages, ["https://shop.example/second", "https://shop.example/third"]);
    assert_eq!(web.fetched.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn indexes_below_the_third_level_are_not_followed() {
    let name = |n: usize| format!("shop.example/{n}.xml");
    let mut files = vec![("shop.example/sitemap.xml".to_owned(), index(&[&name(1), "shop.example/ok.xml"]))];
    files.extend((1..10).map(|n| (name(n), index(&[&name(n + 1)]))));
    files.push(("shop.example/ok.xml".to_owned(), urlset(&["https://shop.example/"])));
    let files: Vec<_> = files.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    let web = Web::with(&files);

    let site = web.read(SitemapLimits::default()).await.unwrap();

    let deepest = site.files.last().unwrap();
    assert_eq!(
        (deepest.url.path(), deepest.outcome.as_ref().unwrap_err()),
        ("/3.xml", &FileProblem::TooDeep)
    );
    assert_eq!(site.pages.len(), 1);
}

#[tokio::test]
async fn pages_that_the_origin_host_calls_its_own_are_pages_of_the_domain() {
    let web = Web::with(&[
        ("shop.example/sitemap.xml", &index(&["origin.example:8443/1.xml", "origin.example/2.xml"])),
        (
            "origin.example:8443/1.xml",
            &urlset(&[
                "http://origin.example:8443/a?b=1",
                "https://origin.example/b",
                "https://shop.example/c",
            ]),
        ),
        ("origin.example/2.xml", &urlset(&["https://shop.example/d"])),
    ]);
    let hosts = SiteHosts::of("shop.example").with_origin("origin.example", Some(8443));

    let site = web.read_of(&hosts, SitemapLimits::default()).await.unwrap();

    // Another port of the origin host is another site.
    let pages: Vec<String> = site.pages.iter().map(|page| page.url.to_string()).collect();
    assert_eq!(pages, ["https://shop.example/a?b=1", "https://shop.example/c"]);
}

#[tokio::test]
async fn an_index_does_not_lead_to_foreign_hosts() {
    let web = Web::with(&[
        ("shop.example/sitemap.xml", &index(&["evil.example/1.xml", "www.shop.example/2.xml"])),
        ("www.shop.example/2.xml", &urlset(&["https://shop.example/"])),
    ]);

    web.pages().await;

    assert_eq!(
        *web.fetched.lock().unwrap(),
        ["https://shop.example/sitemap.xml", "https://www.shop.example/2.xml"]
    );
}

#[tokio::test]
async fn an_unusable_file_of_an_index_is_noted_and_the_others_are_taken() {
    let web = Web::with(&[
        (
            "shop.example/sitemap.xml",
            &index(&["shop.example/gone.xml", "shop.example/bad.xml", "shop.example/ok.xml"]),
        ),
        ("shop.example/bad.xml", "<html></html>"),
        ("shop.example/ok.xml", &urlset(&["https://shop.example/"])),
    ]);

    let site = web.read(SitemapLimits::default()).await.unwrap();

    assert_eq!(site.pages.len(), 1);
    assert!(matches!(site.files[1].outcome, Err(FileProblem::Fetch(_))));
    assert!(matches!(site.files[2].outcome, Err(FileProblem::Parse(_))));
}

#[tokio::test]
async fn what_is_wrong_with_an_unusable_sitemap_has_its_code() {
    let missing = Web::default().read(SitemapLimits::default()).await.unwrap_err();
    let broken =
        Web::with(&[("shop.example/sitemap.xml", "<urlset><url>")]).read(SitemapLimits::default()).await;
    let hollow = Web::with(&[("shop.example/sitemap.xml", &index(&["shop.example/gone.xml"]))])
        .read(SitemapLimits::default())
        .await;

    assert_eq!(missing.code(), "fetch_failed");
    assert_eq!(broken.unwrap_err().code(), "parse_failed");
    assert_eq!(hollow.unwrap_err().code(), "fetch_failed");
}

#[tokio::test]
async fn a_sitemap_without_pages_is_usable_and_empty() {
    let web = Web::with(&[("shop.example/sitemap.xml", "<urlset></urlset>")]);

    assert_eq!(web.pages().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_total_limit_leaves_the_rest_out_and_stops_fetching() {
    let many: Vec<String> = (0..10).map(|n| format!("https://shop.example/{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let names: Vec<String> = (0..50).map(|n| format!("shop.example/{n}.xml")).collect();
    let lists: Vec<(String, String)> = names
        .iter()
        .map(|name| {
            let own: Vec<String> = many.iter().map(|page| format!("{page}?of={name}")).collect();
            (name.clone(), urlset(&own.iter().map(String::as_str).collect::<Vec<_>>()))
        })
        .collect();
    let root = index(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut files: Vec<_> = lists.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    files.push(("shop.example/sitemap.xml", &root));
    let web = Web::with(&files);

    let site = web.read(SitemapLimits { total_urls: 25, ..SitemapLimits::default() }).await.unwrap();

    assert!(site.is_cut);
    assert_eq!(site.pages.len(), 25);
    assert!(web.fetched.lock().unwrap().len() < 12);
}

#[tokio::test]
async fn a_download_that_breaks_off_is_a_failed_fetch_even_when_it_looks_complete() {
    let open = async |_: Url| {
        let whole = Bytes::from(urlset(&["https://shop.example/"]));
        Ok::<_, &str>(stream::iter([Ok(whole), Err(io::Error::from(io::ErrorKind::ConnectionReset))]))
    };
    let start = Url::parse("https://shop.example/sitemap.xml").unwrap();

    let result = read_site(open, &start, &SiteHosts::of("shop.example"), SitemapLimits::default()).await;

    assert_eq!(result.unwrap_err().code(), "fetch_failed");
}
