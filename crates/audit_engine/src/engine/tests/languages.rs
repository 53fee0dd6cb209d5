//! Language versions, wherever they are declared.

use crate::testing::{audit_listing, findings_of};

#[tokio::test(start_paused = true)]
async fn language_versions_of_the_sitemap_count_like_those_of_the_page() {
    let version = |lang: &str, path: &str| {
        format!("<xhtml:link rel='alternate' hreflang='{lang}' href='https://site.example{path}'/>")
    };
    let of_a = [version("en", "/a"), version("de", "/b"), version("x-default", "/a")].concat();
    let of_c = [version("en", "/c"), version("de", "/d"), version("x-default", "/c")].concat();
    let sitemap = format!(
        "<urlset><url><loc>https://site.example/a</loc>{of_a}</url><url><loc>https://site.example/b</loc>{of_a}</url><url><loc>https://site.example/c</loc>{of_c}</url></urlset>"
    );

    let audit = audit_listing(&format!(
        "GET /sitemap.xml\ncontent-type: text/xml\n\n{sitemap}\nGET /\n<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/d>d</a>\nGET /a\na\nGET /b\nb\nGET /c\nc\nGET /d\nd"
    ))
    .await;

    let hreflang = |path: &str| -> Vec<&str> {
        findings_of(&audit, path).into_iter().filter(|id| id.starts_with("HREFLANG")).collect()
    };
    assert_eq!(hreflang("/a"), [""; 0]);
    assert_eq!(hreflang("/b"), [""; 0]);
    assert_eq!(hreflang("/c"), ["HREFLANG_NO_RETURN"], "nothing says that /d has a version /c");
}

#[tokio::test(start_paused = true)]
async fn language_versions_of_the_header_are_not_only_rendered() {
    for (header, expected) in [("fr", true), ("en", false)] {
        let audit = audit_listing(&format!(
            "GET /\nlink: <https://site.example/>; rel=alternate; hreflang={header}\n\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<link rel=alternate hreflang=en href=/>"
        ))
        .await;

        assert_eq!(findings_of(&audit, "/").contains(&"JS_HREFLANG_ONLY_RENDERED"), expected, "{header}");
    }
}
