//! Hostile documents: deep, huge, or made to grow. Each is read in time and memory in proportion to its size.

use std::time::{Duration, Instant};

use crate::oracle::{letters, markdown, read};

/// Last lines of a text that was cut.
const CUT: &str = "\n\n*The rest of the page is left out: its Markdown is too long.*\n";
/// Bytes of a large document. Unoptimised builds read a few megabytes per second.
const BYTES: usize = 400_000;

#[test]
fn a_thousand_nested_lists_stay_text() {
    let html = "<ul><li>a".repeat(1_000) + &"</ul>".repeat(1_000);

    let markdown = markdown(&html);

    assert_eq!(letters(&read(&markdown)), "a".repeat(1_000));
    assert!(markdown.len() < 50_000, "{}", markdown.len());
}

#[test]
fn a_page_that_would_grow_is_cut_between_two_blocks_and_says_so() {
    let html = "<blockquote>".repeat(16) + &"<p>felt</p>".repeat(BYTES / 11) + "<h2>End</h2>";

    let markdown = markdown(&html);

    let kept = markdown.strip_suffix(CUT).expect("it says so");
    let quotes = "> ".repeat(16);
    assert!(kept.ends_with(&format!("\n{quotes}felt")), "{}", &kept[kept.len() - 100..]);
    assert!((900_000..=1024 * 1024).contains(&kept.len()), "{}", kept.len());
    assert_eq!(letters(&read(kept)), "felt".repeat(kept.matches("felt").count()));
}

#[test]
fn a_long_page_that_does_not_grow_is_whole() {
    let html = "<p>A page of <em>felt</em> shoes.</p>".repeat(40_000);

    assert!(!markdown(&html).contains("left out"));
}

#[test]
fn nothing_grows_beyond_twice_the_document_or_a_mebibyte() {
    let attributes: String = (0..BYTES / 8).map(|at| format!("{at:x}=a ")).collect();
    for (name, html) in [
        ("quotes", "<blockquote>".repeat(600) + &"<p>a".repeat(BYTES / 4)),
        ("lists", "<ol><li>".repeat(600) + &"<p>a".repeat(BYTES / 4)),
        ("divs", "<div>".repeat(BYTES / 5)),
        ("bold", "<b>a".repeat(BYTES / 4)),
        ("bold paragraphs", "<p><b><i><code><a href=/x>a".repeat(BYTES / 27)),
        ("links", "<a href=#>a</a>".repeat(BYTES / 15)),
        (
            "a long base",
            format!("<base href=/{}>", "b".repeat(1_900)) + &"<a href=#>a</a>".repeat(BYTES / 15),
        ),
        (
            "a base that is too long",
            format!("<base href=/{}>", "b".repeat(BYTES / 2)) + &"<a href=#>a</a>".repeat(BYTES / 30),
        ),
        (
            "a link around blocks",
            format!("<a href=/{}>", "b".repeat(BYTES / 2)) + &"<p>a</p>".repeat(BYTES / 16),
        ),
        (
            "a link around empty blocks",
            format!("<a href=/{}>", "b".repeat(BYTES / 2)) + &"<p></p>".repeat(BYTES / 16),
        ),
        ("attributes", format!("<p {attributes}>a")),
        ("columns", "<table>".to_owned() + &"<tr><td colspan=9999>a<td>b".repeat(BYTES / 27)),
        ("rows", "<table>".to_owned() + &"<td rowspan=9999>a".repeat(40) + &"<tr><td>b".repeat(BYTES / 9)),
        ("tables", "<table><tr><td>a".repeat(BYTES / 16)),
        ("hosts", "<x-y><template shadowrootmode=open>a<slot></slot></template>".repeat(BYTES / 60)),
        (
            "slots",
            "<x-y><template shadowrootmode=open>".to_owned()
                + &"<slot></slot>".repeat(BYTES / 26)
                + "</template>"
                + &"<p>a</p>".repeat(BYTES / 16),
        ),
        ("comments", "<!--".repeat(BYTES / 4)),
        ("unfinished tags", "<a ".repeat(BYTES / 3)),
        ("end tags", "<div>".repeat(500) + &"</b>".repeat(BYTES / 4)),
        ("backticks", format!("<code>{}", "`a".repeat(BYTES / 2))),
        ("brackets", "[".repeat(BYTES)),
        ("breaks", "a<br>".repeat(BYTES / 5)),
        ("white space", format!("<b>{}</b>a", "&nbsp;".repeat(BYTES / 6))),
        ("references", "&amp;".repeat(BYTES / 5)),
    ] {
        let begun = Instant::now();

        let markdown = markdown(&html);

        let bound = (html.len() * 2).max(1024 * 1024) + CUT.len();
        assert!(markdown.len() <= bound, "{name}: {}", markdown.len());
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
    }
}

#[test]
fn what_a_script_or_style_holds_is_no_text_at_any_depth() {
    let html = "<div>".repeat(2_000)
        + "<script>a</script><style>b</style><svg><text>c</text></svg><select><option>d</select>e";

    assert_eq!(markdown(&html), "e\n");
}
