//! Headers and files of the delivery, on a small folder in place of the built dashboard, and without a folder.

use super::*;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/src/assets/fixture"]
struct Fixture;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/src/assets/nothing"]
#[allow_missing = true]
struct Nothing;

const SCRIPT: &str = "/assets/app-0a1b2c3d.js";

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn ask<F: RustEmbed>(method: Method, path: &str, headers: &[(HeaderName, &str)]) -> Answer {
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
    let (parts, body) = respond::<F>(&method, path, &headers).into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

async fn get(path: &str, headers: &[(HeaderName, &str)]) -> Answer {
    ask::<Fixture>(Method::GET, path, headers).await
}

fn fixture(name: &str) -> Vec<u8> {
    Fixture::get(name).unwrap().data.into_owned()
}

#[tokio::test]
async fn files_with_a_hash_in_their_name_are_kept_for_a_year() {
    let script = get(SCRIPT, &[]).await;
    let font = get("/assets/inter-9f8e7d6c.woff2", &[]).await;

    assert_eq!(script.status, 200);
    assert_eq!(script.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(script.body, fixture("assets/app-0a1b2c3d.js"));
    assert_eq!((font.status, font.header("content-type")), (200, "font/woff2"));
}

#[tokio::test]
async fn the_page_and_files_beside_it_are_asked_for_again() {
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/d/lumadocs.io", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/theme.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = get(path, &[]).await;

        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
        assert_eq!(answer.header("content-type"), kind, "{path}");
    }
}

#[tokio::test]
async fn a_missing_asset_is_never_the_page() {
    for path in [
        "/assets/app-ffffffff.js",
        "/assets/",
        "/assets/../index.html",
        "/assets/app-0a1b2c3d.js.br",
        "/assets/.x",
        "/assets/a/b",
    ] {
        let answer = get(path, &[]).await;

        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.body, r#"{"error":"not_found"}"#.as_bytes(), "{path}");
    }
}

#[tokio::test]
async fn nothing_outside_the_folder_is_sent() {
    let page = fixture("index.html");

    for path in ["/../mod.rs", "/..%2fmod.rs", "//etc/passwd", "/theme.js.gz", "/./theme.js", "/assets"] {
        assert_eq!(get(path, &[]).await.body, page, "{path}");
    }
}

#[tokio::test]
async fn brotli_comes_before_gzip_before_plain() {
    for (accepted, coding, file) in [
        ("gzip, deflate, br, zstd", "br", "assets/app-0a1b2c3d.js.br"),
        ("*", "br", "assets/app-0a1b2c3d.js.br"),
        ("br;q=0, gzip;q=0.1", "gzip", "assets/app-0a1b2c3d.js.gz"),
        ("br;q=0, *", "gzip", "assets/app-0a1b2c3d.js.gz"),
        ("identity", "", "assets/app-0a1b2c3d.js"),
        ("zstd", "", "assets/app-0a1b2c3d.js"),
    ] {
        let answer = get(SCRIPT, &[(header::ACCEPT_ENCODING, accepted)]).await;

        assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
        assert_eq!(answer.header("vary"), "accept-encoding", "{accepted}");
        assert_eq!(answer.header("content-length"), answer.body.len().to_string(), "{accepted}");
        assert_eq!(answer.body, fixture(file), "{accepted}");
    }
}

#[tokio::test]
async fn a_file_without_a_compressed_form_is_sent_plain() {
    let answer = get("/assets/inter-9f8e7d6c.woff2", &[(header::ACCEPT_ENCODING, "br, gzip")]).await;

    assert_eq!((answer.status, answer.header("content-encoding")), (200, ""));
}

#[tokio::test]
async fn every_coding_has_an_entity_tag_that_saves_the_body() {
    let mut tags = Vec::new();
    for accepted in ["br", "gzip", "identity"] {
        let accepts = (header::ACCEPT_ENCODING, accepted);
        let tag = get("/", std::slice::from_ref(&accepts)).await.header("etag").to_owned();

        let again = get("/", &[accepts.clone(), (header::IF_NONE_MATCH, &format!("\"x\", W/{tag}"))]).await;
        let changed = get("/", &[accepts, (header::IF_NONE_MATCH, "\"x\"")]).await;

        assert_eq!((again.status, again.body.len()), (304, 0), "{accepted}");
        assert_eq!((again.header("etag"), again.header("cache-control")), (tag.as_str(), "no-cache"));
        assert_eq!(again.header("vary"), "accept-encoding");
        assert_eq!(changed.status, 200);
        assert!(!tags.contains(&tag), "{tag}");
        tags.push(tag);
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    for path in ["/", SCRIPT, "/assets/missing.js"] {
        let (get, head) = (get(path, &[]).await, ask::<Fixture>(Method::HEAD, path, &[]).await);

        assert_eq!((head.status, &head.headers, head.body.len()), (get.status, &get.headers, 0), "{path}");
    }
}

#[tokio::test]
async fn other_methods_are_refused() {
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
        let answer = ask::<Fixture>(method.clone(), "/", &[]).await;

        assert_eq!((answer.status, answer.header("allow")), (405, "GET, HEAD"), "{method}");
    }
}

#[tokio::test]
async fn every_answer_has_the_policy_headers() {
    let tag = get("/", &[]).await.header("etag").to_owned();
    let answers = [
        get("/", &[]).await,
        get("/", &[(header::IF_NONE_MATCH, &tag)]).await,
        get(SCRIPT, &[]).await,
        get("/assets/missing.js", &[]).await,
        ask::<Fixture>(Method::POST, "/", &[]).await,
        ask::<Nothing>(Method::GET, "/", &[]).await,
    ];

    for answer in answers {
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(
            policy.ends_with("require-trusted-types-for 'script'; trusted-types svelte-trusted-html"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{}", answer.status);
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin", "{}", answer.status);
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin", "{}", answer.status);
        assert_eq!(answer.header("x-robots-tag"), "noindex", "{}", answer.status);
    }
}

#[tokio::test]
async fn a_build_without_the_dashboard_says_how_to_build_it() {
    let answer = ask::<Nothing>(Method::GET, "/d/lumadocs.io", &[]).await;

    let page = String::from_utf8(answer.body.to_vec()).unwrap();
    assert_eq!((answer.status, answer.header("cache-control")), (503, "no-store"));
    assert!(page.contains("make build") && page.contains("href=\"/api/docs\""), "{page}");
    assert!(is_built::<Fixture>() && !is_built::<Nothing>());
}

#[tokio::test]
async fn pages_of_the_book_have_addresses_without_an_ending() {
    for (path, file, kind) in [
        ("/docs", "docs/index.html", "text/html; charset=utf-8"),
        ("/docs/", "docs/index.html", "text/html; charset=utf-8"),
        ("/docs/settings", "docs/settings.html", "text/html; charset=utf-8"),
        ("/docs/settings.md", "docs/settings.md", "text/markdown; charset=utf-8"),
        ("/docs/decisions/a", "docs/decisions/a.html", "text/html; charset=utf-8"),
    ] {
        let answer = get(path, &[]).await;

        assert_eq!((answer.status, answer.header("content-type")), (200, kind), "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
        assert_eq!(answer.body, fixture(file), "{path}");
        assert!(answer.header("content-security-policy").contains("default-src 'none'"), "{path}");
    }
}

#[tokio::test]
async fn an_address_that_the_book_has_not_is_its_page_of_missing_pages() {
    let tag = get("/docs/none", &[]).await.header("etag").to_owned();
    for path in [
        "/docs/none",
        "/docs/../index.html",
        "/docs//settings",
        "/docs/settings.html.gz",
        "/docs/.x",
        "/docs/%2e%2e/index.html",
    ] {
        let answer = get(path, &[(header::IF_NONE_MATCH, &tag)]).await;

        assert_eq!((answer.status, answer.body), (404, fixture("docs/missing.html").into()), "{path}");
    }
    assert_eq!(get("/docsx", &[]).await.body, fixture("index.html"));
    assert_eq!(ask::<Nothing>(Method::GET, "/docs", &[]).await.status, 503);
}
