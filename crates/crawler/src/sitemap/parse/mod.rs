//! Parser of one sitemap file: `urlset`, `sitemapindex`, a list in plain text, RSS or Atom. Used by the walk in `mod.rs`.
//! Pure, and a fuzz target: reads untrusted bytes. Must never expand an entity of the file's own or hold the whole file.

mod lines;
mod xml;

use std::io::{self, BufRead, Read};

use self::lines::read_lines;
use self::xml::XmlFile;
use super::decode::Text;

/// Longest address, in bytes; a longer one is unusable.
const MAX_URL_BYTES: usize = 8192;
/// Longest piece of a file that is held at once: a text, a tag, a comment. Valid files stay far below it.
const MAX_PIECE_BYTES: usize = 64 * 1024;
/// Priority from which a page is one of the site's main ones.
const HIGH_PRIORITY: f64 = 0.8;

/// Format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A list of pages in XML.
    Urlset,
    /// A list of other sitemaps.
    Index,
    /// One address per line.
    Text,
    /// RSS 2.0.
    Rss,
    Atom,
}

/// One `<url>`, `<sitemap>`, `<item>`, `<entry>` or line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Address as written, trimmed.
    pub loc: String,
    /// Date of the last change, in epoch milliseconds; `None` when there is none that can be read.
    pub lastmod: Option<i64>,
    /// True for a date that cannot be read.
    pub has_bad_lastmod: bool,
    /// True for a priority of 0.8 or more.
    pub is_important: bool,
    /// Language versions (`xhtml:link` with `hreflang`): language and address as written.
    pub alternates: Vec<(String, String)>,
}

/// Summary at the end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    pub kind: FileKind,
    /// True if a limit left a part of the file out.
    pub is_cut: bool,
    /// Dates that cannot be read.
    pub bad_lastmods: usize,
    /// Unpacked bytes that were read.
    pub bytes: u64,
    /// True if the limit of entries was reached.
    pub has_more_entries: bool,
}

/// Reason why a file is not a sitemap.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// XML of another kind, or text without a single address.
    #[error("the file is not a sitemap ({0})")]
    NotASitemap(String),
    /// Not well-formed, or cut off.
    #[error("the XML is broken at byte {at}: {reason}")]
    Broken {
        /// Offset of the error, in unpacked bytes.
        at: u64,
        reason: String,
    },
    /// A document type: sitemaps have none, and its entities can be used for attacks.
    #[error("the file has a document type, which sitemaps do not have")]
    DocumentType,
    /// The bytes could not be read or unpacked.
    #[error("the file could not be read")]
    Read(#[source] io::Error),
}

/// Reads one file and passes on its entries, in order.
///
/// At most `max_bytes` unpacked bytes and `max_entries` entries are read; the rest is left out and [`Parsed::is_cut`]
/// says so. Entries that were passed on before an error are invalid.
pub fn parse_sitemap(
    file: impl Read,
    max_bytes: u64,
    max_entries: usize,
    mut each: impl FnMut(Listed),
) -> Result<Parsed, ParseError> {
    let mut text = Text::open(file, max_bytes).map_err(ParseError::Read)?;
    match first_character(&mut text).map_err(ParseError::Read)? {
        None => Err(ParseError::Empty),
        Some(b'<') => XmlFile::new(text, max_entries, &mut each).read(),
        Some(_) => read_lines(text, max_entries, &mut each),
    }
}

/// Skips white space and returns the next byte without consuming it.
fn first_character(text: &mut Text<'_>) -> io::Result<Option<u8>> {
    loop {
        let available = text.fill_buf()?;
        let Some(first) = available.first().copied() else { return Ok(None) };
        let blanks = available.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if blanks == 0 {
            return Ok(Some(first));
        }
        text.consume(blanks);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(file: &str) -> Result<(Parsed, Vec<Listed>), ParseError> {
        parse_within(file, 1_000_000, 1_000)
    }

    fn parse_within(file: &str, bytes: u64, entries: usize) -> Result<(Parsed, Vec<Listed>), ParseError> {
        let mut listed = Vec::new();
        let parsed = parse_sitemap(file.as_bytes(), bytes, entries, |entry| listed.push(entry))?;
        Ok((parsed, listed))
    }

    fn locs(file: &str) -> Vec<String> {
        parse(file).unwrap().1.into_iter().map(|entry| entry.loc).collect()
    }

    #[test]
    fn a_urlset_lists_pages_with_their_dates() {
        let (parsed, listed) = parse(
            r#"<?xml version="1.0" encoding="UTF-8"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
              <url><loc> https://shop.example/ </loc><lastmod>1970-01-01T00:00:01Z</lastmod><priority>1.0</priority></url>
              <url><lastmod>soon</lastmod><loc>https://shop.example/a?x=1&amp;y=2</loc></url>
              <url><loc/></url><url/>
            </urlset>"#,
        )
        .unwrap();

        assert_eq!((parsed.kind, parsed.is_cut, parsed.bad_lastmods), (FileKind::Urlset, false, 1));
        assert_eq!(
            listed,
            [
                Listed {
                    loc: "https://shop.example/".into(),
                    lastmod: Some(1000),
                    has_bad_lastmod: false,
                    is_important: true,
                    ..Listed::default()
                },
                Listed {
                    loc: "https://shop.example/a?x=1&y=2".into(),
                    lastmod: None,
                    has_bad_lastmod: true,
                    ..Listed::default()
                },
            ]
        );
    }

    #[test]
    fn an_index_lists_sitemaps() {
        let (parsed, listed) = parse(
            "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc><lastmod>1970</lastmod></sitemap></sitemapindex>",
        )
        .unwrap();

        assert_eq!(parsed.kind, FileKind::Index);
        assert_eq!(
            listed,
            [Listed {
                loc: "https://a.example/1.xml".into(),
                lastmod: Some(0),
                has_bad_lastmod: false,
                ..Listed::default()
            }]
        );
    }

    #[test]
    fn prefixed_elements_are_the_same_elements() {
        let file = "<sm:urlset xmlns:sm='x'><sm:url><sm:loc>https://a.example/</sm:loc></sm:url></sm:urlset>";

        assert_eq!(locs(file), ["https://a.example/"]);
    }

    #[test]
    fn images_news_and_alternates_are_no_pages_of_their_own() {
        let file = "<urlset xmlns:image='i' xmlns:xhtml='h' xmlns:news='n'><url>
            <image:image><image:loc>https://cdn.example/1.jpg</image:loc></image:image>
            <loc>https://a.example/</loc>
            <image:loc>https://cdn.example/2.jpg</image:loc>
            <news:news><news:publication_date>2026</news:publication_date><loc>https://x.example/</loc></news:news>
            <xhtml:link rel='alternate' href='https://a.example/de'/>
            </url></urlset>";

        assert_eq!(locs(file), ["https://a.example/"]);
    }

    #[test]
    fn language_versions_stand_with_their_page() {
        let file = "<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>https://a.example/</loc>
            <xhtml:link rel='alternate' hreflang='de' href=' https://a.example/de?a&amp;b '/>
            <xhtml:link rel='alternate' media='handheld' href='https://m.a.example/'/>
            <xhtml:link rel='canonical' hreflang='fr' href='https://a.example/fr'/></url>
            <url><loc>https://a.example/b</loc></url></urlset>";
        let mut listed = Vec::new();

        parse_sitemap(file.as_bytes(), 10_000, 10, |entry| listed.push(entry)).unwrap();

        assert_eq!(listed[0].alternates, [("de".to_owned(), "https://a.example/de?a&b".to_owned())]);
        assert_eq!(listed[1].alternates, []);
    }

    #[test]
    fn references_and_cdata_are_read_as_their_characters() {
        let file = "<urlset><url><loc>https://a.example/&#x4e;&#111;t&apos;<![CDATA[?a=1&b=2]]></loc></url>
            <url><loc>https://a.example/?a=1&b=2&copy;</loc></url></urlset>";

        assert_eq!(locs(file), ["https://a.example/Not'?a=1&b=2", "https://a.example/?a=1&b=2&copy;"]);
    }

    #[test]
    fn rss_and_atom_list_their_entries() {
        let rss = "<rss version='2.0'><channel><link>https://a.example/</link><item><title>x</title>
            <link>https://a.example/1</link><pubDate>Thu, 01 Jan 1970 00:00:01 GMT</pubDate></item></channel></rss>";
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://a.example/'/><entry>
            <link rel='edit' href='https://a.example/edit'/><link href='https://a.example/1?a&amp;b'/>
            <updated>1970-01-01T00:00:01Z</updated></entry></feed>";

        let listed = |loc: &str| Listed {
            loc: loc.into(),
            lastmod: Some(1000),
            has_bad_lastmod: false,
            ..Listed::default()
        };
        assert_eq!(parse(rss).unwrap().1, [listed("https://a.example/1")]);
        assert_eq!(parse(atom).unwrap().1, [listed("https://a.example/1?a&b")]);
    }

    #[test]
    fn plain_text_lists_one_address_per_line() {
        let (parsed, listed) =
            parse("\n https://a.example/1 \r\nnonsense\nHTTP://a.example/2\rhttps://a.example/3").unwrap();

        assert_eq!(parsed.kind, FileKind::Text);
        let locs: Vec<_> = listed.iter().map(|entry| entry.loc.as_str()).collect();
        assert_eq!(locs, ["https://a.example/1", "HTTP://a.example/2", "https://a.example/3"]);
    }

    #[test]
    fn what_is_no_sitemap_is_refused() {
        for file in [
            "",
            " \n",
            "hello",
            "{\"urls\": []}",
            "<html><body>Not found</body></html>",
            "<?xml version='1.0'?>",
        ] {
            assert!(parse(file).is_err(), "{file}");
        }
    }

    #[test]
    fn broken_xml_is_refused() {
        for file in [
            "<urlset>",
            "<urlset><url><loc>https://a.example/</loc></url>",
            "<urlset><url></urlset>",
            "<urlset><url><loc>https://a.example/</url></loc></urlset>",
            "<urlset><url",
        ] {
            assert!(matches!(parse(file), Err(ParseError::Broken { .. })), "{file}: {:?}", parse(file));
        }
    }

    #[test]
    fn a_document_type_is_refused_so_entities_cannot_be_declared() {
        let bomb = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><urlset><url><loc>&b;</loc></url></urlset>";

        assert!(matches!(parse(bomb), Err(ParseError::DocumentType)));
        assert!(matches!(parse("<!doctype html><html></html>"), Err(ParseError::DocumentType)));
    }

    #[test]
    fn nesting_has_a_limit() {
        let file = format!("<urlset>{}", "<a>".repeat(100_000));

        assert!(matches!(parse(&file), Err(ParseError::Broken { .. })));
    }

    #[test]
    fn over_a_limit_the_rest_is_left_out() {
        let url = |n: usize| format!("<url><loc>https://a.example/{n}</loc></url>");
        let file = format!("<urlset>{}</urlset>", (0..100).map(url).collect::<String>());

        let (by_count, ten) = parse_within(&file, 1_000_000, 10).unwrap();
        let (by_size, some) = parse_within(&file, 400, 1_000).unwrap();
        let (exact, all) = parse_within(&file, file.len() as u64, 100).unwrap();

        assert!(by_count.is_cut && ten.len() == 10);
        assert!(by_size.is_cut && (5..12).contains(&some.len()), "{}", some.len());
        assert!(!exact.is_cut && all.len() == 100);
    }

    #[test]
    fn no_piece_of_a_file_is_longer_than_its_bound() {
        let long = "x".repeat(MAX_PIECE_BYTES);
        for piece in [
            format!("<loc>{long}</loc>"),
            format!("<!--{long}-->"),
            format!("<!--{}-->", "<".repeat(MAX_PIECE_BYTES)),
            format!("<a b='{long}'/>"),
            format!("<![CDATA[{long}]]>"),
        ] {
            let file = format!("<urlset><url>{piece}<loc>https://a.example/</loc></url></urlset>");

            assert!(matches!(parse(&file), Err(ParseError::Broken { .. })), "{}", &piece[..9]);
        }
        let comments = "<!-- a licence of a few words -->".repeat(5000);
        assert_eq!(
            locs(&format!("<urlset>{comments}<url><loc>https://a.example/</loc></url></urlset>")).len(),
            1
        );
    }

    #[test]
    fn an_address_that_is_too_long_is_left_out() {
        let file = format!("<urlset><url><loc>https://a.example/{}</loc></url></urlset>", "ä".repeat(8192));

        assert_eq!(locs(&file), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse_sitemap(&bytes[..], 10_000, 100, |_| ());
        }

        #[test]
        fn no_markup_makes_it_panic(pieces in proptest::collection::vec(
            proptest::sample::select(vec!["<urlset>", "</urlset>", "<url>", "</url>", "<loc>", "</loc>", "<a:b c='&", "&amp;",
                "&#x110000;", "<![CDATA[", "]]>", "<!--", "-->", "<?x", "?>", "é", "https://a.example/", "<lastmod>2026</lastmod>"]),
            0..40,
        )) {
            let _ = parse_sitemap(pieces.concat().as_bytes(), 10_000, 100, |_| ());
        }

        #[test]
        fn what_is_written_is_read_back(paths in proptest::collection::vec("[a-z0-9/&?=é-]{0,30}", 1..20)) {
            let escaped = |path: &String| format!("<url><loc>https://a.example/{}</loc></url>", path.replace('&', "&amp;"));
            let file = format!("<urlset>{}</urlset>", paths.iter().map(escaped).collect::<String>());

            let expected: Vec<_> = paths.iter().map(|path| format!("https://a.example/{path}")).collect();
            prop_assert_eq!(locs(&file), expected);
        }
    }
}
