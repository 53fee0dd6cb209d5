//! A site's sitemap over the guarded fetcher. Used by cache refresh, the Domains API and audits.
//! Must never fetch in another way, nor more than the limits.

use std::fmt;
use std::io;

use bytes::Bytes;
use futures::{Stream, stream};
use http::StatusCode;
use url::Url;

use super::{SiteHosts, Sitemap, SitemapError, SitemapLimits, read_site};
use crate::errors::one_line;
use crate::fetch::Body;
use crate::robots::{MAX_ROBOTS_BYTES, sitemaps_in};
use crate::{FetchError, FetchRequest, Fetcher};

/// Bytes that the download may run ahead of the reader, which ends a file at its limit.
const ON_THE_WAY: u64 = 4 << 20;

/// Fetches a sitemap and every file that it refers to. Dropping the future stops everything.
///
/// `route` maps an address to the one that is fetched, for sites whose server has another name.
pub async fn fetch_site(
    fetcher: &Fetcher,
    start: &Url,
    route: impl Fn(&Url) -> Url,
    hosts: &SiteHosts,
    limits: SitemapLimits,
    max_redirects: u32,
) -> Result<Sitemap, SitemapError> {
    let open = |url: Url| {
        let mut request = FetchRequest::get(route(&url));
        request.max_redirects = max_redirects;
        request.max_body_bytes = limits.file_bytes.saturating_add(ON_THE_WAY);
        download(fetcher, request)
    };
    read_site(open, start, hosts, limits).await
}

/// Header of a file that this service serves at a site's root. A sitemap that was made from what is stored is not a source of pages.
const SERVED_HERE: &str = "x-service-root-file";

async fn download(
    fetcher: &Fetcher,
    request: FetchRequest,
) -> Result<impl Stream<Item = io::Result<Bytes>> + use<>, NotFetched> {
    let fetched = fetcher.fetch(request).await.map_err(NotFetched::Failed)?;
    if !fetched.status.is_success() {
        return Err(NotFetched::Status(fetched.status));
    }
    if fetched.headers.contains_key(SERVED_HERE) {
        return Err(NotFetched::Status(StatusCode::NOT_FOUND));
    }
    Ok(Box::pin(pieces(fetched.body)))
}

/// Finds a site's sitemap: the first one of its `robots.txt`, else `/sitemap.xml`, which may not exist.
///
/// `site` is any address of the site. An unreachable `robots.txt` counts as an empty one.
pub async fn discover_sitemap(fetcher: &Fetcher, site: &Url, max_redirects: u32) -> Url {
    let fallback = site.join("/sitemap.xml").unwrap_or_else(|_| site.clone());
    let Ok(robots_url) = site.join("/robots.txt") else { return fallback };
    let mut request = FetchRequest::get(robots_url);
    request.max_redirects = max_redirects;
    request.max_body_bytes = MAX_ROBOTS_BYTES as u64;
    let Ok(mut fetched) = fetcher.fetch(request).await else { return fallback };
    if !fetched.status.is_success() || fetched.headers.contains_key(SERVED_HERE) {
        return fallback;
    }
    // A file that is too long, or breaks off, still says something in its beginning.
    let mut robots = Vec::new();
    while let Ok(Some(piece)) = fetched.body.chunk().await {
        robots.extend_from_slice(&piece);
    }
    sitemaps_in(&robots, &fetched.url).into_iter().next().unwrap_or(fallback)
}

/// Error of a file's download, with its cause in the text: it is shown to the site's owner.
enum NotFetched {
    Status(StatusCode),
    Failed(FetchError),
}

impl fmt::Display for NotFetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFetched::Status(status) => write!(f, "answered {}", status.as_u16()),
            NotFetched::Failed(error) => f.write_str(&one_line(error)),
        }
    }
}

fn pieces(body: Body) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold(body, |mut body| async move {
        match body.chunk().await {
            Ok(Some(piece)) => Ok(Some((piece, body))),
            Ok(None) => Ok(None),
            Err(error) => Err(io::Error::other(NotFetched::Failed(error).to_string())),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use http::{HeaderValue, Request, Response};
    use http_body_util::Full;

    use super::*;
    use crate::testing::WebServer;
    use crate::{HostTarget, Network, NetworkConfig, tls};

    fn fetcher_to(server: &WebServer) -> Fetcher {
        let target = HostTarget { ip: server.address().ip(), port: Some(server.address().port()) };
        let network = Network::new(NetworkConfig {
            allow_private: vec!["127.0.0.0/8".parse().unwrap()],
            hosts: BTreeMap::from([("shop.example".to_owned(), target)]),
            dns_servers: Vec::new(),
        });
        Fetcher::new(network.unwrap(), tls::client_config(), HeaderValue::from_static("test"))
    }

    fn url(path: &str) -> Url {
        Url::parse("https://shop.example").unwrap().join(path).unwrap()
    }

    async fn read(fetcher: &Fetcher, limits: SitemapLimits) -> Result<Sitemap, SitemapError> {
        let hosts = SiteHosts::of("shop.example");
        fetch_site(fetcher, &url("/sitemap.xml"), Url::clone, &hosts, limits, 5).await
    }

    #[tokio::test]
    async fn a_sitemap_is_read_through_redirects_and_indexes() {
        let server = WebServer::start(async |request: Request<_>| {
            let response = Response::builder();
            match request.uri().path() {
                "/sitemap.xml" => response.status(301).header("location", "/index.xml").body(Full::default()),
                "/index.xml" => response.body(Full::from(
                    "<sitemapindex><sitemap><loc>https://shop.example/pages.xml</loc></sitemap></sitemapindex>",
                )),
                _ => response.body(Full::from("<urlset><url><loc>https://shop.example/a</loc></url></urlset>")),
            }
            .unwrap()
        })
        .await;

        let site = read(&fetcher_to(&server), SitemapLimits::default()).await.unwrap();

        assert_eq!(site.pages.len(), 1);
        assert_eq!(server.requests(), 3);
    }

    #[tokio::test]
    async fn an_answer_other_than_2xx_is_a_failed_fetch_that_names_the_status() {
        let server = WebServer::start(async |_: Request<_>| {
            Response::builder().status(503).body(Full::default()).unwrap()
        })
        .await;

        let error = read(&fetcher_to(&server), SitemapLimits::default()).await.unwrap_err();

        assert_eq!((error.code(), error.to_string().contains("503")), ("fetch_failed", true));
    }

    #[tokio::test]
    async fn a_file_over_the_limit_is_cut_and_not_refused() {
        let server = WebServer::start(async |_: Request<_>| {
            let urls: String =
                (0..400_000).map(|n| format!("<url><loc>https://shop.example/{n}</loc></url>\n")).collect();
            Response::new(Full::from(format!("<urlset>{urls}</urlset>")))
        })
        .await;
        let limits =
            SitemapLimits { file_bytes: 1_000_000, file_urls: 1_000_000, ..SitemapLimits::default() };

        let site =
            tokio::time::timeout(Duration::from_secs(20), read(&fetcher_to(&server), limits)).await.unwrap();

        let site = site.unwrap();
        assert!(site.is_cut && (10_000..30_000).contains(&site.pages.len()), "{}", site.pages.len());
    }

    #[tokio::test]
    async fn the_sitemap_of_robots_txt_is_found_and_otherwise_the_usual_one_is_tried() {
        let named =
            WebServer::start(async |_: Request<_>| Response::new(Full::from("Sitemap: /pages.xml"))).await;
        let missing = WebServer::start(async |_: Request<_>| {
            Response::builder().status(404).body(Full::default()).unwrap()
        })
        .await;

        assert_eq!(discover_sitemap(&fetcher_to(&named), &url("/"), 5).await, url("/pages.xml"));
        assert_eq!(discover_sitemap(&fetcher_to(&missing), &url("/"), 5).await, url("/sitemap.xml"));
    }
}
