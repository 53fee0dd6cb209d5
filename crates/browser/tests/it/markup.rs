//! Serialisation: trees made by scripts, with text that looks like markup, are parsed back as the same trees without scripts and
//! handlers.
//! Checked with html5ever on generated trees.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use scraper::{ElementRef, Html, Node, Selector};
use serde_json::{Value, json};

use crate::article::{article, article_with};
use crate::origin::Reply;
use crate::support::Bench;

/// Pages per property, and trees per page.
const PAGES: usize = 12;
const TREES: usize = 40;

/// Script that builds a tree from JSON: `[name, namespace, attributes, children]`, text, `{comment}` or `{cdata}`.
const BUILDER: &str =
    "const namespaces = { html: 'http://www.w3.org/1999/xhtml', svg: 'http://www.w3.org/2000/svg',
        math: 'http://www.w3.org/1998/Math/MathML', none: null };
    const xml = new DOMParser().parseFromString('<x/>', 'text/xml');
    const build = (tree) => {
        if (typeof tree === 'string') return document.createTextNode(tree);
        if (tree.comment !== undefined) return document.createComment(tree.comment);
        if (tree.cdata !== undefined) return document.importNode(xml.createCDATASection(tree.cdata.replaceAll(']]>', '')));
        const [name, namespace, attributes, children] = tree;
        const element = document.createElementNS(namespaces[namespace], name);
        for (const [key, value] of attributes) element.setAttribute(key, value);
        const parent = namespace === 'html' && name === 'template' ? element.content : element;
        for (const child of children) parent.append(build(child));
        return element;
    };";

/// Generates text that looks like markup.
fn nasty() -> BoxedStrategy<String> {
    prop_oneof![
        Just("plain words"),
        Just("<script>alert(1)</script>"),
        Just("</script><script>alert(1)</script>"),
        Just("</style><img src=x onerror=alert(1)>"),
        Just("</xmp></noscript></iframe></title></textarea></template><svg onload=alert(1)>"),
        Just("--><img src=x onerror=alert(1)>"),
        Just("--!><img src=x onerror=alert(1)>"),
        Just("><img src=x onerror=alert(1)>"),
        Just("<!--"),
        Just("<!-- <script>"),
        Just("]]><b onclick=x>"),
        Just("\"'` onmouseover=alert(1) x="),
        Just("&lt;b&gt; &amp;lt; &#60;"),
        Just("\nfirst line"),
        Just("a < b && c > d \u{a0}"),
        Just("-"),
    ]
    .prop_map(str::to_owned)
    .boxed()
}

/// Generates elements that a parser can build anywhere inside each other.
fn parsable() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        nasty().prop_map(Value::String),
        nasty().prop_map(|text| json!({ "comment": text })),
        nasty().prop_map(|text| json!(["textarea", "html", [], [text]])),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = prop::sample::select(vec!["div", "span", "section", "b", "pre", "template"]);
        (names, nasty(), prop::collection::vec(inner, 0..4))
            .prop_map(|(name, title, children)| json!([name, "html", [["title", title]], children]))
    })
}

/// Generates such text without handlers and script tags, which every page is searched for.
fn quietly_nasty() -> BoxedStrategy<String> {
    prop_oneof![
        Just("plain words"),
        Just("<a href=\"javascript:alert(1)\">x</a>"),
        Just("</style></xmp></title></textarea><a href=javascript:alert(1)>x</a>"),
        Just("<iframe srcdoc=\"&lt;script&gt;alert(1)&lt;/script&gt;\"></iframe>"),
        Just("a{}<div><iframe srcdoc=\"&lt;img src=x onerror&#61;alert(1)&gt;\"></iframe></div>"),
        Just("<a href=\"javascr\nipt:alert(1)\"><text>x</text></a>"),
        Just("a < b && c > d"),
    ]
    .prop_map(str::to_owned)
    .boxed()
}

const ODD_NAMES: [&str; 32] = [
    "div",
    "p",
    "a",
    "table",
    "tr",
    "select",
    "option",
    "form",
    "svg",
    "math",
    "mtext",
    "mglyph",
    "mi",
    "foreignObject",
    "desc",
    "title",
    "style",
    "script",
    "xmp",
    "plaintext",
    "noscript",
    "noembed",
    "noframes",
    "iframe",
    "textarea",
    "template",
    "annotation-xml",
    "use",
    "animate",
    "image",
    "br",
    "ul",
];
const CAPITAL_NAMES: [&str; 3] = ["SCRIPT", "IFRAME", "STYLE"];

fn loud_attributes() -> Vec<Value> {
    vec![
        json!([]),
        json!([["onclick", "alert(1)"]]),
        json!([["href", "javascript:alert(1)"]]),
        json!([["href", " java\nscript:alert(1)"]]),
        json!([["xlink:href", "javascript:alert(1)"]]),
        json!([["srcdoc", "<script>alert(1)</script><p onclick=x>"]]),
        json!([["title", "</style></xmp><img src=x onerror=alert(1)>"]]),
        json!([["type", "application/json"]]),
        json!([["type", "text/x-template"]]),
        json!([["encoding", "text/html"]]),
        json!([["attributeName", "href"], ["to", "javascript:alert(1)"]]),
    ]
}

fn quiet_attributes() -> Vec<Value> {
    vec![
        json!([]),
        json!([["href", "javascr\nipt:alert(1)"]]),
        json!([["href", "\u{1} java\tscr\ript:alert(1)"]]),
        json!([["title", "</style></xmp><a href=javascript:alert(1)>x</a>"]]),
        json!([["encoding", "text/html"]]),
    ]
}

/// Generates elements of some names inside any other.
fn odd(
    names: Vec<&'static str>,
    attributes: Vec<Value>,
    texts: BoxedStrategy<String>,
) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => texts.clone().prop_map(Value::String),
        2 => texts.clone().prop_map(|text| json!({ "comment": text })),
        1 => texts.prop_map(|text| json!({ "cdata": text })),
    ];
    leaf.prop_recursive(5, 32, 4, move |inner| {
        let names = prop::sample::select(names.clone());
        let namespaces = prop::sample::select(vec!["html", "html", "svg", "math", "none"]);
        let attributes = prop::sample::select(attributes.clone());
        (names, namespaces, attributes, prop::collection::vec(inner, 0..4)).prop_map(
            |(name, namespace, attributes, children)| json!([name, namespace, attributes, children]),
        )
    })
}

/// Makes a page that builds each tree in an element.
fn page_of(trees: &[Value]) -> Reply {
    let trees = Value::from(trees).to_string().replace('<', "\\u003c");
    article(&format!(
        "{BUILDER} for (const tree of {trees}) {{
            const holder = document.createElement('div');
            holder.className = 'holder';
            holder.append(build(tree));
            out.append(holder);
        }}"
    ))
}

/// Generates trees, the same on every run.
fn generate(runner: &mut TestRunner, trees: usize, strategy: &impl Strategy<Value = Value>) -> Vec<Value> {
    (0..trees).map(|_| strategy.new_tree(runner).expect("nothing is filtered").current()).collect()
}

/// Returns the children of an element as JSON, with adjacent texts joined and without comments.
fn read(parent: ElementRef<'_>) -> Vec<Value> {
    let mut list: Vec<Value> = Vec::new();
    // The content of a template is a separate fragment.
    let content = parent.children().find(|child| child.value().is_fragment());
    let children: Vec<_> =
        content.map_or_else(|| parent.children().collect(), |content| content.children().collect());
    for child in children {
        if let Node::Text(text) = child.value() {
            push_text(&mut list, text);
        } else if let Some(element) = ElementRef::wrap(child) {
            let attributes: Vec<Value> =
                element.value().attrs().map(|(name, value)| json!([name, value])).collect();
            list.push(json!([element.value().name(), "html", attributes, read(element)]));
        }
    }
    list
}

/// Returns the expected trees in the form of `read`.
fn meant(trees: &[Value]) -> Vec<Value> {
    let mut list: Vec<Value> = Vec::new();
    for tree in trees {
        match tree {
            Value::String(text) => push_text(&mut list, text),
            Value::Array(parts) => {
                let children = parts[3].as_array().map(Vec::as_slice).unwrap_or_default();
                list.push(json!([parts[0], parts[1], parts[2], meant(children)]));
            }
            _ => {}
        }
    }
    list
}

fn push_text(list: &mut Vec<Value>, text: &str) {
    if let Some(Value::String(before)) = list.last_mut() {
        before.push_str(text);
    } else {
        list.push(text.into());
    }
}

/// Returns the scripts, handlers and script addresses of a document.
fn alive(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for node in Html::parse_document(html).tree.nodes() {
        let Node::Element(element) = node.value() else { continue };
        let kind = element.attr("type").unwrap_or_default();
        if element.name().eq_ignore_ascii_case("script")
            && !matches!(kind, "application/json" | "text/x-template")
        {
            found.push(format!("<script type={kind:?}>"));
        }
        for (name, value) in element.attrs() {
            let address: String = value.chars().filter(|c| *c > ' ').collect::<String>().to_ascii_lowercase();
            let is_script = address.starts_with("javascript:") && address != "javascript:void(0)";
            if name.starts_with("on") || is_script {
                found.push(format!("<{} {name}={value:?}>", element.name()));
            }
            if name == "srcdoc" && element.name() == "iframe" {
                found.extend(alive(value));
            }
        }
    }
    found
}

#[tokio::test]
async fn trees_that_a_parser_can_build_are_parsed_back_unchanged() {
    let bench = Bench::new().await;
    let mut runner = TestRunner::deterministic();
    let holders = Selector::parse("div.holder").unwrap();
    for _ in 0..PAGES {
        let trees = generate(&mut runner, TREES, &parsable());

        let page = bench.render_reply(page_of(&trees)).await.unwrap();

        let read_again = Html::parse_document(&page.html);
        let found: Vec<Vec<Value>> = read_again.select(&holders).map(|holder| read(holder)).collect();
        assert_eq!(found.len(), trees.len());
        for (tree, found) in trees.iter().zip(found) {
            assert_eq!(found, meant(std::slice::from_ref(tree)), "{tree}");
        }
    }
}

async fn nothing_comes_alive(pages: usize, trees: usize, strategy: impl Strategy<Value = Value>) {
    let bench = Bench::new().await;
    let mut runner = TestRunner::deterministic();
    for _ in 0..pages {
        let trees = generate(&mut runner, trees, &strategy);

        let page =
            bench.render_reply(page_of(&trees)).await.unwrap_or_else(|error| panic!("{error}: {trees:?}"));

        assert_eq!(alive(&page.html), Vec::<String>::new(), "{}", page.html);
    }
}

#[tokio::test]
async fn no_parsed_snapshot_contains_scripts_or_handlers() {
    let names = [&ODD_NAMES[..], &CAPITAL_NAMES].concat();
    nothing_comes_alive(PAGES, TREES, odd(names, loud_attributes(), nasty())).await;
}

#[tokio::test]
async fn no_parsed_snapshot_of_harmless_trees_contains_scripts_or_handlers() {
    // Few trees per page: one conspicuous tree makes the script check the whole page.
    let names = ODD_NAMES.iter().copied().filter(|name| *name != "script").collect();
    nothing_comes_alive(5 * PAGES, 2, odd(names, quiet_attributes(), quietly_nasty())).await;
}

#[tokio::test]
async fn known_cases_of_scripts_after_parsing_are_cleaned() {
    let bench = Bench::new().await;
    for (what, tree) in [
        ("a comment that ends early", json!({ "comment": "--><script>alert(1)</script>" })),
        ("a comment before the document's end", json!({ "comment": "><img src=x onerror=alert(1)>" })),
        ("a script in capitals", json!(["SCRIPT", "html", [], ["alert(1)"]])),
        (
            "a style inside a picture",
            json!(["svg", "svg", [], [["style", "html", [], ["<img src=x onerror=alert(1)>"]]]]),
        ),
        ("text that ends its element", json!(["xmp", "html", [], ["</xmp><script>alert(1)</script>"]])),
        (
            "a frame in a style inside a picture",
            json!([
                "svg",
                "svg",
                [],
                [[
                    "style",
                    "html",
                    [],
                    ["a{}<p><iframe srcdoc=\"&lt;script&gt;x()&lt;/script&gt;\"></iframe></p>"]
                ]]
            ]),
        ),
        (
            "a link in text inside a picture",
            json!([
                "svg",
                "svg",
                [],
                [["xmp", "html", [], ["<a href=\"javascript:x()\"><text>x</text></a>"]]]
            ]),
        ),
        (
            "a style of a picture outside of one",
            json!(["style", "svg", [], [{ "comment": "</style><a href=javascript:x()>x</a>" }]]),
        ),
        ("an address with a line break", json!(["a", "html", [["href", "javascr\nipt:alert(1)"]], ["x"]])),
        ("a section of XML", json!({ "cdata": "a><a href=\"javascript:alert(1)\">x</a>" })),
        ("text that nothing ends", json!(["plaintext", "html", [], ["raw"]])),
        (
            "a style's end in a style",
            json!(["style", "html", [], ["a { content: '</style><img src=x onerror=alert(1)>' }"]]),
        ),
        (
            "a script's end in data",
            json!([
                "script",
                "html",
                [["type", "application/json"]],
                ["\"</script><script>alert(1)</script>\""]
            ]),
        ),
        ("a raw element in a frame", json!(["iframe", "html", [], [["plaintext", "html", [], ["raw"]]]])),
    ] {
        let page = bench.render_reply(page_of(&[tree])).await.unwrap();

        assert_eq!(alive(&page.html), Vec::<String>::new(), "{what}: {}", page.html);
        // The container is closed, and nothing after it was swallowed.
        assert!(page.html.trim_end().ends_with("</div></div></body></html>"), "{what}: {}", page.html);
    }
}

#[tokio::test]
async fn json_data_with_a_script_end_tag_in_it_is_kept() {
    let bench = Bench::new().await;
    let tree = json!([
        "script",
        "html",
        [["type", "application/ld+json"]],
        ["{\"name\":\"</script><!--<script>\"}"]
    ]);

    let page = bench.render_reply(page_of(&[tree])).await.unwrap();

    let scripts = Selector::parse("script[type='application/ld+json']").unwrap();
    let html = Html::parse_document(&page.html);
    let text: String = html.select(&scripts).next().unwrap().text().collect();
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(data["name"], "</script><!--<script>");
}

#[tokio::test]
async fn a_doctype_made_by_a_script_cannot_inject_markup() {
    let bench = Bench::new().await;
    let script = "const odd = '\"><iframe srcdoc=\"&lt;script&gt;alert(1)&lt;/script&gt;\"></iframe>';
        document.doctype.replaceWith(document.implementation.createDocumentType('html', odd, odd))";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.starts_with("<!DOCTYPE html>\n<html"), "{}", page.html);
}

#[tokio::test]
async fn cdata_sections_of_xhtml_become_text() {
    let bench = Bench::new().await;
    let body = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>t</title><style><![CDATA[ .a > b { color: red } ]]></style></head>
        <body><p><![CDATA[fish & chips < 5]]></p></body></html>";

    let page = bench.render_reply(Reply::typed("application/xhtml+xml", body)).await.unwrap();

    assert!(page.html.contains("<p>fish &amp; chips &lt; 5</p>"), "{}", page.html);
    assert!(page.html.contains(".a > b { color: red }") && !page.html.contains("CDATA"), "{}", page.html);
}

#[tokio::test]
async fn json_data_under_trusted_types_survives_reparsing() {
    let bench = Bench::new().await;
    let policy = "<meta http-equiv=content-security-policy content=\"require-trusted-types-for 'script'\">";
    let data = "<script type=application/ld+json>{\"name\":\"a <script src=x> in text\"}</script>";
    let style = "const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        svg.append(Object.assign(document.createElement('style'), { textContent: 'a{}<b>' }));
        out.append(svg)";

    let page = bench.render_reply(article_with(&format!("{policy}{data}"), style)).await.unwrap();

    assert!(page.html.contains("<script type=\"application/ld+json\">{\"name\""), "{}", page.html);
}
