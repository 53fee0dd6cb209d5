//! Rules of Markdown, one by one: what stands in front matter, where the text begins, what is left out, how each element is
//! written.

use url::Url;

/// Converts a document at a constant address.
fn convert(html: &str) -> markdown::Markdown {
    markdown::convert(html, &Url::parse("https://shop.example/pots/mug?size=l#top").expect("an address"))
}

#[track_caller]
fn assert_text(html: &str, expected: &str) {
    assert_eq!(convert(html).text, format!("{expected}\n"), "{html}");
}

mod front_matter {
    use super::*;

    #[test]
    fn front_matter_states_what_the_head_states() {
        let html = "<html lang=en-GB><head><title>Tide\n mug</title><meta name=Description content='For “every” day'>
            <link rel=canonical href=/pots/mug><meta property=og:image content=/mug.png></head><body><p>Hello";

        assert_text(
            html,
            "---\ntitle: \"Tide mug\"\ndescription: \"For “every” day\"\nurl: \"https://shop.example/pots/mug\"\n\
             lang: \"en-GB\"\nimage: \"https://shop.example/mug.png\"\n---\n\nHello",
        );
    }

    #[test]
    fn a_page_that_states_nothing_has_no_front_matter() {
        assert_text("<html><head><meta charset=utf-8><title> </title></head><body>Hello", "Hello");
    }

    #[test]
    fn a_page_that_states_anything_has_its_address_beside_it() {
        assert_text(
            "<title>Mug</title>",
            "---\ntitle: \"Mug\"\nurl: \"https://shop.example/pots/mug?size=l#top\"\n---",
        );
    }

    #[test]
    fn statements_are_strings_in_quotes_on_one_line() {
        let html = "<html lang=no><title>a: \"b\" \\ {c} #d\n---\nurl: e\u{85}f\u{1b}\u{2028}g</title>";

        let text = convert(html).text;

        assert!(text.starts_with("---\ntitle: \"a: \\\"b\\\" \\\\ {c} #d --- url: e f g\"\n"), "{text}");
        assert!(text.contains("\nlang: \"no\"\n"));
    }

    #[test]
    fn statements_outside_the_head_do_not_count() {
        let html = "<head><title>Mug</title></head><body><svg><title>Icon</title></svg><link rel=canonical href=/other>
            <meta name=description content=no><title>no</title><x-y><template shadowrootmode=open><title>no</title></template></x-y>";

        let page = convert(html);

        assert_eq!(page.canonical.as_str(), "https://shop.example/pots/mug?size=l#top");
        assert_eq!(
            page.text,
            "---\ntitle: \"Mug\"\nurl: \"https://shop.example/pots/mug?size=l#top\"\n---\n"
        );
    }

    #[test]
    fn the_first_of_two_statements_counts() {
        let html = "<title>a</title><title>b</title><meta name=description content=''><meta name=description content=c>";

        let text = convert(html).text;

        assert!(text.contains("title: \"a\"\ndescription: \"c\""), "{text}");
    }

    #[test]
    fn the_canonical_address_is_one_of_the_web() {
        for (html, canonical) in [
            ("<link rel='alternate canonical' href=//other.example/x>", "https://other.example/x"),
            ("<base href=/base/><link rel=canonical href=x>", "https://shop.example/base/x"),
            ("<link rel=canonical href=javascript:alert(1)>", "https://shop.example/pots/mug?size=l#top"),
            ("<link rel=canonical href='https://'>", "https://shop.example/pots/mug?size=l#top"),
            ("<link rel=canonical>", "https://shop.example/pots/mug?size=l#top"),
        ] {
            assert_eq!(convert(html).canonical.as_str(), canonical, "{html}");
        }
    }

    #[test]
    fn tokens_are_a_quarter_of_the_code_points_rounded_up() {
        assert_eq!(convert("").tokens, 1);
        assert_eq!(convert("äöü").tokens, 1);
        assert_eq!(convert("äöü😀").tokens, 2);
    }

    #[test]
    fn an_empty_page_is_an_empty_line() {
        assert_text("", "");
    }
}

mod root {
    use super::*;

    #[test]
    fn the_text_is_that_of_main() {
        assert_text(
            "<header>a</header><div>b<main><nav>c</nav>d<aside>e</aside></main></div><article>f</article>",
            "c\n\nd\n\ne",
        );
    }

    #[test]
    fn without_main_the_text_is_that_of_the_only_article() {
        assert_text("<p>a</p><article><header>b</header>c</article><footer>d</footer>", "b\n\nc");
    }

    #[test]
    fn with_several_articles_the_text_is_that_of_the_body_without_navigation() {
        let html = "<header>a</header><nav>b</nav><article><header>c</header>d</article><aside>e</aside><article>f</article>
            <section><footer>g</footer></section><footer>h</footer>";

        assert_text(html, "c\n\nd\n\nf\n\ng");
    }

    #[test]
    fn a_hidden_main_is_not_the_root_while_another_is_shown() {
        assert_text("<main hidden>a</main><main>b</main>", "b");
        assert_text("<article hidden>a</article><article>b</article><p>c", "b");
    }

    #[test]
    fn marks_on_the_root_and_around_it_do_not_count() {
        assert_text(
            "<body style='display:none'><div aria-hidden=true><main hidden>a<p hidden>b</main></div>",
            "a",
        );
        assert_text("<html hidden><body hidden>a", "a");
    }

    #[test]
    fn aria_hidden_does_not_count_where_nothing_would_be_left() {
        assert_text("<main><div aria-hidden=true><p>a</p><p hidden>b</p></div></main>", "a");
        assert_text("<main><div aria-hidden=true><p>a</p></div>c</main>", "c");
        assert_text("<main><div hidden>a</div></main>", "");
    }

    #[test]
    fn main_in_a_shadow_root_is_the_root() {
        assert_text("<p>a</p><x-app><template shadowrootmode=open><main>b</main></template></x-app>", "b");
    }
}

mod left_out {
    use super::*;

    #[test]
    fn elements_that_are_no_text_are_left_out() {
        for html in [
            "<script>a</script>",
            "<style>a</style>",
            "<noscript>a</noscript>",
            "<template>a</template>",
            "<iframe>a</iframe>",
            "<svg><text>a</text></svg>",
            "<canvas>a</canvas>",
            "<audio>a</audio>",
            "<video>a</video>",
            "<dialog open>a</dialog>",
            "<button>a</button>",
            "<select><option>a</select>",
            "<textarea>a</textarea>",
            "<input value=a>",
            "<!-- a -->",
            "<progress>a</progress>",
            "<meter>a</meter>",
            "<datalist><option>a</datalist>",
            "<math><annotation>a</annotation></math>",
            "<p hidden>a</p>",
            "<p hidden=until-found>a</p>",
            "<p aria-hidden=TRUE>a</p>",
            "<p style='color:red; DISPLAY : none'>a</p>",
            "<p style='display:block;display:none !important;display:block'>a</p>",
        ] {
            assert_text(&format!("<p>x</p>{html}<p>y</p>"), "x\n\ny");
        }
    }

    #[test]
    fn what_only_looks_hidden_stays() {
        for html in [
            "<p aria-hidden=false>a</p>",
            "<p style='display:none;display:block'>a</p>",
            "<p style='displaynone'>a</p>",
            "<p class=hidden>a</p>",
            "<details><p>a</p></details>",
        ] {
            assert_text(html, "a");
        }
    }

    #[test]
    fn labels_and_legends_stay() {
        let html = "<form><fieldset><legend>Size</legend><label>Large <input type=radio></label></fieldset><button>Buy</button></form>";

        assert_text(html, "Size\n\nLarge");
    }

    #[test]
    fn captions_and_closed_details_stay() {
        assert_text(
            "<figure><img src=/a.png alt=A><figcaption>B</figcaption></figure>",
            "![A](https://shop.example/a.png)\n\nB",
        );
        assert_text("<details><summary>A</summary>B</details>", "A\n\nB");
        assert_text("<table><tr><td>B</td></tr><caption>A</caption></table>", "A\n\n|  |\n| --- |\n| B |");
    }

    #[test]
    fn words_around_something_left_out_stay_apart() {
        assert_text("<p>a<svg></svg>b<button>c</button>, d</p>", "a b, d");
    }

    #[test]
    fn elements_inside_something_left_out_end_with_it() {
        assert_text("<svg><path d=''/><g/><foreignObject><p>a</p></foreignObject></svg>b", "b");
        assert_text("<p>a<button><p>b</p></button>c</p>", "a c");
    }
}

mod pictures {
    use super::*;

    #[test]
    fn a_picture_has_its_text_address_and_title() {
        assert_text("<img src=mug.png alt=' A  mug '>", "![A mug](https://shop.example/pots/mug.png)");
        assert_text(
            "<img src=mug.png alt=A title='B \"c\" \\'>",
            "![A](https://shop.example/pots/mug.png \"B \\\"c\\\" \\\\\")",
        );
        assert_text(
            "<picture><source srcset=b.avif><img src=mug.png alt=A></picture>",
            "![A](https://shop.example/pots/mug.png)",
        );
    }

    #[test]
    fn a_picture_without_text_or_inside_the_page_is_left_out() {
        for html in [
            "<img src=a.png>",
            "<img src=a.png alt=' '>",
            "<img src='data:image/png;base64,AA' alt=a>",
            "<img src=' BLOB:https://shop.example/a' alt=a>",
        ] {
            assert_text(html, "");
        }
    }

    #[test]
    fn a_picture_without_an_address_of_the_web_is_its_text() {
        for html in
            ["<img alt=a>", "<img src='' alt=a>", "<img src='file:///a' alt=a>", "<img src='https://' alt=a>"]
        {
            assert_text(html, "a");
        }
    }

    #[test]
    fn a_picture_in_a_link_is_the_text_of_the_link() {
        assert_text(
            "<a href=/x><img src=/a.png alt=a> b</a>",
            "[![a](https://shop.example/a.png) b](https://shop.example/x)",
        );
    }
}

mod links {
    use super::*;

    #[test]
    fn addresses_are_absolute() {
        for (href, address) in [
            ("x", "https://shop.example/pots/x"),
            ("/x?a=1&amp;b=2", "https://shop.example/x?a=1&b=2"),
            ("//o.example", "https://o.example/"),
            ("#a", "https://shop.example/pots/mug?size=l#a"),
            ("", "https://shop.example/pots/mug?size=l"),
            ("?b", "https://shop.example/pots/mug?b"),
            (" mailto:a@b.example ", "mailto:a@b.example"),
            ("TEL:+49 1", "tel:+49%201"),
            ("/ä b", "https://shop.example/%C3%A4%20b"),
        ] {
            assert_text(&format!("<a href='{href}'>a</a>"), &format!("[a]({address})"));
        }
    }

    #[test]
    fn addresses_are_resolved_by_the_base() {
        assert_text(
            "<base target=_blank><base href=/b/><base href=/c/><a href=x>a</a>",
            "[a](https://shop.example/b/x)",
        );
        assert_text("<base href='data:,'><a href=x>a</a>", "[a](https://shop.example/pots/x)");
    }

    #[test]
    fn a_link_that_is_no_address_of_web_mail_or_telephone_is_its_text() {
        for href in [
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://a.example",
            "https://",
            "vbscript:x",
            "intent://x",
        ] {
            assert_text(&format!("<a href='{href}'>a</a>"), "a");
        }
        assert_text("<a name=x>a</a>", "a");
    }

    #[test]
    fn addresses_that_end_a_link_early_are_written_so_that_they_do_not() {
        for (href, address) in [
            ("/a(b)", "<https://shop.example/a(b)>"),
            ("/a)b", "<https://shop.example/a)b>"),
            ("/?a`b|c\\d", "https://shop.example/?a%60b%7Cc%5Cd"),
            ("mailto:a b<c>", "mailto:a%20b%3Cc%3E"),
            ("/?a&copy;", "https://shop.example/?a\\&copy;"),
            ("/a\nb", "https://shop.example/ab"),
        ] {
            assert_text(
                &format!("<a href='{}'>x</a>", href.replace('&', "&amp;")),
                &format!("[x]({address})"),
            );
        }
    }

    #[test]
    fn a_title_is_kept_and_an_empty_one_is_not() {
        assert_text("<a href=/x title=' b \n \"c\" '>a</a>", "[a](https://shop.example/x \"b \\\"c\\\"\")");
        assert_text("<a href=/x title=' '>a</a>", "[a](https://shop.example/x)");
    }

    #[test]
    fn brackets_in_the_text_of_a_link_are_escaped() {
        assert_text("<a href=/x>[a](b)</a>", "[\\[a\\](b)](https://shop.example/x)");
    }

    #[test]
    fn an_exclamation_mark_before_a_link_makes_no_picture() {
        assert_text("Buy!<a href=/x>a</a>", "Buy\\![a](https://shop.example/x)");
    }

    #[test]
    fn a_link_without_text_is_left_out() {
        assert_text("a<a href=/x> </a>b<a href=/y><svg></svg></a>", "a b");
    }

    #[test]
    fn white_space_stands_outside_of_a_link() {
        assert_text("a<a href=/x> b </a>c", "a [b](https://shop.example/x) c");
    }

    #[test]
    fn a_link_in_a_link_is_its_text() {
        assert_text("<a href=/x>a <x-y><a href=/y>b</a></x-y></a>", "[a b](https://shop.example/x)");
    }

    #[test]
    fn a_link_around_several_blocks_is_that_of_the_first_with_text() {
        assert_text(
            "<a href=/x><div> </div><h3>a</h3><p>b</p></a><p>c</p>",
            "### [a](https://shop.example/x)\n\nb\n\nc",
        );
    }
}

mod inline {
    use super::*;

    #[test]
    fn strong_and_emphasised_text_is_marked() {
        assert_text(
            "a <b>b</b> <strong>c</strong> <i>d</i> <em>e</em> <b><i>f</i></b>",
            "a **b** **c** _d_ _e_ **_f_**",
        );
    }

    #[test]
    fn white_space_moves_out_of_a_style() {
        assert_text("a<b> b </b>c<i>&nbsp;d</i>", "a **b** c\u{a0}_d_");
    }

    #[test]
    fn a_style_inside_a_word_has_asterisks() {
        assert_text("un<i>believ</i>able <b>A</b>BC", "un*believ*able **A**BC");
    }

    #[test]
    fn a_style_that_would_not_be_read_as_one_is_left_out() {
        assert_text("a<b>(b)</b>c", "a(b)c");
        assert_text("これは<b>「重要」</b>です", "これは「重要」です");
        assert_text("a<b></b>b<i> </i>c", "ab c");
    }

    #[test]
    fn equal_styles_that_touch_are_one_and_inside_each_other_too() {
        assert_text("<b>a</b><b>b</b> <i>c<em>d</em></i>", "**ab** _cd_");
        assert_text("<code>a</code><code>b</code>", "`ab`");
    }

    #[test]
    fn styles_that_touch_do_not_run_into_each_other() {
        assert_text("<a href=/x><b>a.</b></a><b>(b)</b>", "[**a.**](https://shop.example/x)**(b)**");
        assert_text("<b>a<i>b</i></b>c", "abc");
        assert_text("<b>a.</b><i><b>(c)</b></i>", "**a.**_**(c)**_");
    }

    #[test]
    fn a_style_around_blocks_is_written_in_each() {
        assert_text("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**");
    }

    #[test]
    fn code_has_a_fence_longer_than_what_is_inside() {
        assert_text("<code>a</code> <kbd>b</kbd> <samp>c</samp>", "`a` `b` `c`");
        assert_text("<code>a`b``c</code>", "```a`b``c```");
        assert_text("<code>`a`</code>", "`` `a` ``");
        assert_text("<code>*a* &lt;b> &amp;amp; [c]</code>", "`*a* <b> &amp; [c]`");
    }

    #[test]
    fn code_is_without_styles_and_divided_by_links() {
        assert_text(
            "<code>Vec&lt;<b>u8</b>, <a href=/x>Alloc</a>&gt;</code>",
            "`Vec<u8,` [`Alloc`](https://shop.example/x)`>`",
        );
        assert_text("<a href=/x><code>a</code></a>", "[`a`](https://shop.example/x)");
    }

    #[test]
    fn line_breaks_are_hard_and_several_are_one() {
        assert_text("<p><br>a <br> b<br><br>c<br></p>", "a\\\nb\\\nc");
        assert_text("<p><b>a<br></b>b</p>", "**a**\\\nb");
    }

    #[test]
    fn white_space_is_collapsed_and_control_characters_are_dropped() {
        assert_text("<p>\n a\t\n b&#13;c\u{1}\u{9f}\u{feff}d&nbsp; e </p><p>&nbsp;</p>", "a b cd\u{a0} e");
    }

    #[test]
    fn words_of_unknown_elements_stay_apart() {
        assert_text("<x-a>a</x-a><x-b>b</x-b>, <x-c>c</x-c>.", "a b, c.");
        assert_text("a<span>b</span><wbr>c", "abc");
    }

    #[test]
    fn text_that_could_be_markup_is_escaped_and_other_text_is_not() {
        for (text, escaped) in [
            ("*a* _b_ `c` ~d~", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~"),
            ("snake_case_name", "snake_case_name"),
            ("a_ _b", "a\\_ \\_b"),
            ("[a](b)", "\\[a\\](b)"),
            ("[a]: /b", "\\[a\\]: /b"),
            ("![a](b)", "!\\[a\\](b)"),
            ("\\", "\\\\"),
            ("C:\\a", "C:\\\\a"),
            ("&lt;b>a&lt;/b> &lt;!-- &lt; &lt;a@b.c> a &lt;", "\\<b>a\\</b> \\<!-- < \\<a@b.c> a <"),
            ("&amp;amp; &amp;#42; & &amp;b", "\\&amp; \\&#42; & &b"),
            ("# a", "\\# a"),
            ("#a", "#a"),
            ("a # b", "a # b"),
            ("> a", "\\> a"),
            ("- a", "\\- a"),
            ("-a", "-a"),
            ("+ a", "\\+ a"),
            ("1. a", "1\\. a"),
            ("12) a", "12\\) a"),
            ("1.5 a", "1.5 a"),
            ("---", "\\---"),
            ("===", "\\==="),
            ("- - -", "\\- - -"),
            ("+++", "\\+++"),
            ("a | b", "a | b"),
            ("| a |", "| a |"),
            ("|---|", "\\|---|"),
            ("$5 {a} ^b^ \"c\" d!", "$5 {a} ^b^ \"c\" d!"),
            ("https://a.example/b?c=d", "https://a.example/b?c=d"),
        ] {
            assert_text(&format!("<p>{text}</p>"), escaped);
        }
    }

    #[test]
    fn text_is_escaped_at_the_beginning_of_each_line() {
        assert_text("<p>a | b<br>--- | ---<br># c<br>===", "a | b\\\n\\--- | ---\\\n\\# c\\\n\\===");
    }

    #[test]
    fn a_rule_and_text_like_one_are_no_front_matter() {
        assert_text("<hr><p>a</p><p>---</p>", "***\n\na\n\n\\---");
    }
}

mod blocks {
    use super::*;

    #[test]
    fn headings_have_their_level_and_one_line() {
        assert_text("<h1>a</h1><h6>b<br>c<div>d</div></h6><h2> </h2>", "# a\n\n###### b c d");
    }

    #[test]
    fn the_end_of_a_heading_does_not_close_it() {
        assert_text(
            "<h2>a #</h2><h2>C#</h2><h2>##</h2><h2># b</h2>",
            "## a \\#\n\n## C#\n\n## \\##\n\n## # b",
        );
    }

    #[test]
    fn paragraphs_and_containers_are_parted_by_an_empty_line() {
        assert_text("a<p>b<p>c<div>d<section>e</section>f</div>g", "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng");
    }

    #[test]
    fn quotes_are_marked_on_each_line() {
        assert_text(
            "<blockquote>a<p>b<br>c</p><blockquote>d</blockquote></blockquote><blockquote>e</blockquote>",
            "> a\n>\n> b\\\n> c\n>\n> > d\n\n> e",
        );
    }

    #[test]
    fn a_rule_is_three_asterisks() {
        assert_text("a<hr>b<ul><li><hr></ul>", "a\n\n***\n\nb\n\n- ***");
    }

    #[test]
    fn definitions_are_items_below_their_term() {
        assert_text(
            "<dl><dt>a<dd>b<dd>c<dt>d<div><dt>e</dt><dd>f</dd></div></dl>",
            "a\n- b\n- c\n\nd\n\ne\n- f",
        );
    }

    #[test]
    fn preformatted_text_keeps_its_white_space() {
        assert_text("<pre>\n  a\n\n\tb  \n</pre>", "```\n  a\n\n\tb\n```");
        assert_text("<pre>a<br>b<b>c</b><a href=/x>d</a></pre>", "```\na\nbcd\n```");
        assert_text("<pre>\n</pre>", "");
        assert_text(
            "<blockquote><pre>a\n\nb</pre></blockquote><ul><li>c<pre>d\n\ne</pre></ul>",
            "> ```\n> a\n>\n> b\n> ```\n\n- c\n\n  ```\n  d\n\n  e\n  ```",
        );
    }

    #[test]
    fn lines_of_preformatted_text_may_be_elements() {
        assert_text("<pre><code><div>a</div><div>b</div></code></pre>", "```\na\nb\n```");
        assert_text(
            "<pre><table><tr><td>1</td><td>a</td></tr><tr><td>2</td><td>b</td></tr></table></pre>",
            "```\n1a\n2b\n```",
        );
    }

    #[test]
    fn a_fence_names_the_language_and_is_longer_than_what_is_inside() {
        assert_text("<pre class='x lang-c++'>a</pre>", "```c++\na\n```");
        assert_text(
            "<pre><code class='hljs language-rust'>```\n````</code></pre>",
            "`````rust\n```\n````\n`````",
        );
        assert_text("<pre class='language-a`b language-'>a</pre>", "```\na\n```");
    }
}

mod lists {
    use super::*;

    #[test]
    fn items_are_marked_and_continued_below_their_text() {
        assert_text("<ul><li>a<li>b<p>c</p></ul>", "- a\n\n- b\n\n  c");
        assert_text("<ul><li>a<div>b</div><li>c</ul>", "- a\n\n  b\n- c");
    }

    #[test]
    fn a_list_of_paragraphs_is_loose() {
        assert_text("<ul><li><p>a</p><li><p>b</p></ul>", "- a\n\n- b");
    }

    #[test]
    fn items_are_numbered_from_the_start_of_the_list() {
        assert_text("<ol start=9><li>a<li>b<p>c</p></ol>", "9. a\n\n10. b\n\n    c");
        assert_text("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c");
        assert_text("<ol start=-3><li>a</ol>", "1. a");
        assert_text("<ol start=99999999999><li>a</ol>", "1. a");
        assert_text("<ol start=999999999><li>a<li>b</ol>", "999999999. a\n999999999. b");
    }

    #[test]
    fn nested_lists_are_indented() {
        assert_text("<ul><li>a<ol><li>b<ul><li>c</ul></ol><li>d</ul>", "- a\n  1. b\n     - c\n- d");
        assert_text("<ul><li><ul><li>a</ul></ul>", "- - a");
    }

    #[test]
    fn a_nested_list_that_cannot_interrupt_a_paragraph_does_not() {
        assert_text("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b");
    }

    #[test]
    fn a_list_right_inside_a_list_belongs_to_the_item_before() {
        assert_text("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c");
    }

    #[test]
    fn lists_that_follow_each_other_have_different_marks() {
        assert_text("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n+ b\n\n- c");
        assert_text("<ol><li>a</ol><ol><li>b</ol><ul><li>c</ul>", "1. a\n\n1) b\n\n- c");
    }

    #[test]
    fn an_item_without_text_is_left_out() {
        assert_text("<ol><li> <li>a<li><svg></svg></ol><ul><li></ul>", "2. a");
    }

    #[test]
    fn an_item_without_a_list_is_a_block() {
        assert_text("<li>a</li><li>b</li>", "a\n\nb");
        assert_text("<ul><li>a<blockquote><li>b</li></blockquote></ul>", "- a\n\n  > b");
    }

    #[test]
    fn items_hold_blocks() {
        assert_text(
            "<ul><li><h3>a</h3><p>b</p><table><tr><th>c</th></tr></table></ul>",
            "- ### a\n\n  b\n\n  | c |\n  | --- |",
        );
    }
}

mod tables {
    use super::*;

    #[test]
    fn a_row_of_headers_is_the_header() {
        let expected = "| a | b |\n| --- | --- |\n| c | d |";
        assert_text("<table><tr><th>a<th>b<tr><td>c<td>d</table>", expected);
        assert_text("<table><thead><tr><td>a<td>b<tbody><tr><td>c<td>d</table>", expected);
    }

    #[test]
    fn a_table_without_a_header_has_an_empty_one() {
        assert_text(
            "<table><tr><th>a<td>b<tr><td>c<td>d</table>",
            "|  |  |\n| --- | --- |\n| a | b |\n| c | d |",
        );
    }

    #[test]
    fn the_header_is_as_wide_as_the_widest_row() {
        assert_text(
            "<table><tr><th>a<tr><td>b<td>c<tr><td>d</table>",
            "| a |  |\n| --- | --- |\n| b | c |\n| d |",
        );
    }

    #[test]
    fn cells_that_span_columns_and_rows_are_followed_by_empty_ones() {
        assert_text(
            "<table><tr><th colspan=2>a<th>b<tr><td>c<td>d<td>e</table>",
            "| a |  | b |\n| --- | --- | --- |\n| c | d | e |",
        );
        assert_text(
            "<table><tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e<tr><td>f<td>g</table>",
            "| a | b |\n| --- | --- |\n| c | d |\n|  | e |\n| f | g |",
        );
        assert_text("<table><tr><th colspan=1000>a<tr><td>b</table>", "| a |\n| --- |\n| b |");
    }

    #[test]
    fn pipes_are_escaped_in_text_code_and_links() {
        assert_text(
            "<table><tr><th>a|b<th><code>c|d</code><th><a href='/e|f'>g|h</a><th>\\|</table>",
            "| a\\|b | `c\\|d` | [g\\|h](https://shop.example/e%7Cf) | \\\\\\| |\n| --- | --- | --- | --- |",
        );
    }

    #[test]
    fn code_that_a_table_cannot_hold_is_text() {
        assert_text("<table><tr><th><code>a\\|b</code></table>", "| a\\\\\\|b |\n| --- |");
    }

    #[test]
    fn a_cell_is_one_line_whatever_is_in_it() {
        let cell =
            "a<br>b<p>c</p><ul><li>d<li>e</ul><pre>f\n g</pre><h3>h</h3><blockquote>i</blockquote><hr>j";
        assert_text(&format!("<table><tr><th>{cell}</table>"), "| a b c d e `f g` h i j |\n| --- |");
    }

    #[test]
    fn a_table_that_holds_a_table_is_layout() {
        assert_text("<table><tr><td>a<td><table><tr><th>b</table><td>c</table>", "a\n\n| b |\n| --- |\n\nc");
    }

    #[test]
    fn a_table_without_text_is_left_out() {
        assert_text("<table><tr><td> <td><svg></svg></table>", "");
    }

    #[test]
    fn empty_rows_and_columns_at_the_end_are_left_out() {
        assert_text("<table><tr><td><tr><th>a<th><tr><td><td><tr><td>b<td></table>", "| a |\n| --- |\n| b |");
    }
}

mod shadow_roots {
    use super::*;

    #[test]
    fn a_shadow_root_stands_for_the_children_of_its_host() {
        assert_text("<x-y><template shadowrootmode=open><p>a</p></template><p>b</p></x-y>", "a");
        assert_text("<x-y><template shadowrootmode=closed><p>a</p></template></x-y>", "a");
    }

    #[test]
    fn children_stand_in_their_slots() {
        let html = "<x-y><template shadowrootmode=open><p>a</p><slot name=n></slot><p>b</p><slot></slot><slot name=n></slot></template>
            <p>c</p><p slot=n>d</p><p slot=other>e</p><p slot=n>f</p></x-y>";

        assert_text(html, "a\n\nd\n\nf\n\nb\n\nc");
    }

    #[test]
    fn a_slot_without_children_shows_its_own() {
        assert_text(
            "<x-y><template shadowrootmode=open><slot name=n>a</slot><slot>b</slot></template><p slot=n>c</p></x-y>",
            "c\n\nb",
        );
    }

    #[test]
    fn slots_reach_through_nested_roots() {
        let html = "<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open>1<slot></slot>2</template><slot></slot></x-b></template>a</x-a>";

        assert_text(html, "1a2");
    }

    #[test]
    fn a_second_template_and_one_without_a_mode_are_no_shadow_roots() {
        assert_text(
            "<x-y><template shadowrootmode=open>a</template><template shadowrootmode=open>b</template><template>c</template></x-y>",
            "a",
        );
    }
}
