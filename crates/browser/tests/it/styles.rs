//! Styles that stand nowhere but in the browser's memory: they come out as they look.

use crate::article::article;
use crate::support::Bench;

/// A component inside a component, with a sheet that scripts constructed.
fn nested(sheet: &str, more: &str) -> String {
    format!(
        "customElements.define('x-inner', class extends HTMLElement {{
            constructor() {{
                super();
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(`{sheet}`);
                this.attachShadow({{ mode: 'open' }}).adoptedStyleSheets = [sheet];
                this.shadowRoot.innerHTML = '<div class=bar>bar</div>';
                {more}
            }}
        }});
        customElements.define('x-outer', class extends HTMLElement {{
            constructor() {{ super(); this.attachShadow({{ mode: 'closed' }}).innerHTML = '<x-inner></x-inner>' }}
        }});
        out.innerHTML = '<x-outer></x-outer>'"
    )
}

#[tokio::test]
async fn a_shorthand_with_a_variable_keeps_its_value_in_a_constructed_sheet() {
    let bench = Bench::new().await;
    let sheet = ":host { --tint: rgb(9, 8, 7) } .bar { background: var(--tint); background-size: 10px }";

    let page = bench.render_reply(article(&nested(sheet, ""))).await.unwrap();

    assert!(page.html.contains("background: var(--tint)"), "{}", page.html);
}

#[tokio::test]
async fn a_shorthand_with_a_variable_keeps_its_value_when_more_rules_came_later() {
    let bench = Bench::new().await;
    let sheet = ":host { --tint: rgb(9, 8, 7) } .bar { background: var(--tint); background-size: 10px }";
    let more = "sheet.insertRule('.later { color: red }', 2); sheet.cssRules[1].style.height = '3px';";

    let page = bench.render_reply(article(&nested(sheet, more))).await.unwrap();

    assert!(page.html.contains("background-color: rgb(9, 8, 7)"), "{}", page.html);
}

#[tokio::test]
async fn a_shorthand_with_a_variable_keeps_its_value_in_a_style_attribute() {
    let bench = Bench::new().await;
    let script = "document.documentElement.style.setProperty('--tint', 'rgb(1, 2, 3)');
        out.style.background = 'var(--tint)';
        out.style.backgroundRepeat = 'no-repeat'";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("background-color: rgb(1, 2, 3)"), "{}", page.html);
}

#[tokio::test]
async fn a_property_that_a_script_has_registered_is_one() {
    let bench = Bench::new().await;
    let script = "CSS.registerProperty({ name: '--accent', syntax: '<color>', inherits: true, initialValue: 'rgb(9, 8, 7)' });
        CSS.registerProperty({ name: '--any', inherits: false });";

    let page = bench.render_reply(article(script)).await.unwrap();

    let accent = "@property --accent { syntax: \"<color>\"; inherits: true; initial-value: rgb(9, 8, 7); }";
    assert!(page.html.contains(accent), "{}", page.html);
    assert!(page.html.contains("@property --any { syntax: \"*\"; inherits: false; }"), "{}", page.html);
}

#[tokio::test]
async fn rules_that_a_script_puts_into_a_picture_come_out_with_it() {
    let bench = Bench::new().await;
    let script = "out.innerHTML = '<svg><style id=v></style><rect class=r width=9 height=9></rect></svg>';
        document.getElementById('v').sheet.insertRule('.r { fill: rgb(4, 5, 6) }')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("<svg><style id=\"v\">.r { fill: rgb(4, 5, 6); }"), "{}", page.html);
}

#[tokio::test]
async fn a_page_that_is_hidden_until_an_element_in_it_is_defined_is_shown() {
    let bench = Bench::new().await;
    let script = "document.head.innerHTML += '<style>body:has(my-app:not(:defined)) { visibility: hidden }</style>';
        out.innerHTML = '<my-app></my-app>';
        customElements.define('my-app', class extends HTMLElement { connectedCallback() { this.textContent = 'defined' } })";

    let page = bench.render_reply(article(script)).await.unwrap();

    let shown = "body:has(my-app:is(my-app):not(:defined)) { visibility: visible !important; }";
    assert!(page.html.contains(shown), "{}", page.html);
}
