//! Forms of reports: what strangers wrote stays text.

use pulldown_cmark::{Event, Options, Parser, Tag};
use scraper::{Html, Selector};

use super::super::payload::{ReportChange, SentimentExcerpt, VisibilityReport};
use super::super::tests::{BUILT, LAST, input_of, sample};
use super::super::{OwnPage, build};
use super::{DigestPeriod, digest, html, markdown};
use assistants::providers::Provider;

/// Words that would be markup, links, formulas or orders in one form or another.
const HOSTILE: &str = "<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://evil.example/p.png) | **b** `c` \
    www.evil.example http://evil.example me@evil.example\r\n# head\n- item \u{202e}flip &lt; <img src=x onerror=alert(1)> \"'";

/// Makes a report in which every word of a stranger is hostile.
fn hostile() -> VisibilityReport {
    let day = |at: i64| sample("A", Provider::Chatgpt, LAST - at, &["LumaDocs"]);
    let mut samples: Vec<_> = (7..13).map(day).collect();
    samples.extend(
        [2, 1, 0].map(|at| sample("A", Provider::Chatgpt, LAST - at, &["Notchly"]).citing(&["g2.com"])),
    );
    let mut input = input_of(&samples);
    input.prompts[0].text = HOSTILE.to_owned();
    input.brand.name = HOSTILE.to_owned();
    for day in &mut input.days {
        let sums = std::mem::take(&mut day.sums.competitors);
        day.sums.competitors = sums.into_values().map(|sums| (HOSTILE.to_owned(), sums)).collect();
    }
    for answer in &mut input.answers {
        answer.competitors = answer.competitors.iter().map(|_| HOSTILE.to_owned()).collect();
    }
    for page in &mut input.pages {
        page.url = format!("https://g2.com/{HOSTILE}");
    }
    input.models.entry(Provider::Chatgpt).or_default().insert(HOSTILE.to_owned());
    input.excerpts = vec![SentimentExcerpt {
        run_id: "r".to_owned(),
        provider: "chatgpt".to_owned(),
        quote: HOSTILE.to_owned(),
    }];
    input.own_pages = vec![OwnPage {
        insight: super::super::payload::OwnPageInsight {
            url: format!("https://lumadocs.io/{HOSTILE}"),
            citations: 1,
            last_crawl_by_ai_bots: None,
            open_issues: None,
            referrals: None,
        },
        errors: Some(1),
        is_crawling_known: true,
    }];
    build(&input, BUILT).unwrap()
}

#[test]
fn markdown_of_strangers_is_text() {
    let page = markdown(&hostile());

    let events = Parser::new_ext(&page, Options::ENABLE_TABLES);
    let markup: Vec<Event<'_>> = events
        .filter(|event| match event {
            Event::Start(tag) => {
                matches!(tag, Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock)
            }
            Event::Html(_) | Event::InlineHtml(_) | Event::Code(_) => true,
            _ => false,
        })
        .collect();
    assert!(markup.is_empty(), "{markup:?}");
    assert!(
        !page.contains("www.evil") && !page.contains("http://evil") && !page.contains('\u{202e}'),
        "{page}"
    );
    // Tables keep their columns: every row of a table has as many cells as its head.
    let mut columns = 0;
    for line in page.lines() {
        let cells = line.replace("\\|", "").matches('|').count();
        columns = if line.starts_with('|') && columns == 0 { cells } else { columns };
        match line.starts_with('|') {
            true => assert_eq!(cells, columns, "{line}"),
            false => columns = 0,
        }
    }
}

#[test]
fn html_of_strangers_is_text_and_nothing_in_the_file_acts() {
    let page = html(&hostile());

    let document = Html::parse_document(&page);
    let select = |selector: &str| document.select(&Selector::parse(selector).unwrap()).count();
    for forbidden in [
        "script",
        "a",
        "img",
        "iframe",
        "form",
        "link",
        "object",
        "embed",
        "base",
        "[onerror]",
        "[href]",
        "[src]",
    ] {
        assert_eq!(select(forbidden), 0, "{forbidden}");
    }
    assert_eq!(select("meta[http-equiv=Content-Security-Policy]"), 1);
    assert!(document.root_element().text().any(|text| text.contains("<script>alert(1)</script>")));
    assert_eq!(select("rect"), 3);
}

#[test]
fn a_digest_links_to_the_report_alone() {
    let report = hostile();
    let changes: Vec<ReportChange> = report.changes.iter().filter(|c| c.confirmed).cloned().collect();
    assert!(!changes.is_empty());

    let mail = digest(
        &report,
        DigestPeriod::Day,
        &changes,
        "https://glasshouse.example/d/lumadocs.io/mentions/reports/r",
    );

    let document = Html::parse_document(&mail.html);
    let links = document.select(&Selector::parse("a").unwrap()).count();
    assert_eq!((links, document.select(&Selector::parse("script, img").unwrap()).count()), (1, 0));
    for text in [&mail.text, &mail.html] {
        assert!(!text.contains("evil.example") && !text.contains("http://evil"), "{text}");
    }
    assert!(!mail.subject.contains('\n') && mail.text.contains("The report: https://glasshouse.example/d/"));
}

#[test]
fn the_forms_say_the_numbers_with_their_intervals() {
    let report = super::super::tests::report_of_example();

    let (text, page) = (markdown(&report), html(&report));

    assert!(text.contains("| Visibility | 66.7% | 35.4–87.9% | – | 9 |"), "{text}");
    assert!(page.contains("<td>Visibility</td><td>66.7%</td><td>35.4–87.9%</td><td>–</td><td>9</td>"));
    assert!(text.contains(
        "- 2026\\-11\\-15: ChatGPT no longer names you, place 2 before, on “prompt A” (not confirmed yet)"
    ));
}
