//! Pages that replace built-ins on which the page script depends: it keeps its own copies from before page code runs, and reads the
//! DOM through prototypes. The page is captured completely and without delay.

use browser::{Rendered, Settled};

use crate::article::{PROSE, article, assert_shows};
use crate::origin::Reply;
use crate::support::Bench;

async fn rendered(reply: Reply) -> Rendered {
    let bench = Bench::new().await;
    bench.origin.on("/data", Reply::typed("text/plain", "data"));
    bench.render_reply(Reply::html("<p>first")).await.unwrap();

    let page = bench.render_reply(reply).await.unwrap();

    // A hold without an end would make it `Still`.
    assert!(!page.partial && page.settled == Settled::Quiet, "{page:?}");
    page
}

const ASK: &str = "const asked = new XMLHttpRequest(); asked.open('GET', '/data'); asked.onload = () => add(asked.responseText);
    asked.send(); fetch('/data');";

#[tokio::test]
async fn replaced_promises_do_not_delay_the_capture() {
    for script in [
        // The pattern of zone.js: another class, which the native `then` leads to.
        "const then = Promise.prototype.then;
         class ZoneAwarePromise {
             constructor(run) { this.inner = Reflect.construct(Native, [run]) }
             then(...args) { return new ZoneAwarePromise((done, failed) => then.call(this.inner, done, failed)).inner && this }
         }
         const Native = Promise;
         Native.prototype.then = function (done, failed) { return new ZoneAwarePromise((a, b) => then.call(this, a, b)).then(done, failed) };
         window.Promise = ZoneAwarePromise;",
        // The pattern of Bluebird and old polyfills: only the global is replaced.
        "window.Promise = function () { throw new TypeError('not for you') }; Promise.prototype.then = () => { throw 1 };",
        // The pattern of core-js when forced: constructor and species are replaced.
        "const Native = Promise; class Forced extends Native {} Native.prototype.constructor = Forced; window.Promise = Forced;",
    ] {
        let page = rendered(article(&format!("{script} {ASK}"))).await;

        assert_shows(&page, &["data"]);
    }
}

#[tokio::test]
async fn replaced_collections_and_arrays_lose_no_content() {
    let script = "window.Map = window.Set = window.WeakMap = window.WeakSet = function () { throw 1 };
        Array.from = () => [];
        for (const name of ['push', 'filter', 'map', 'some', 'slice', 'join', 'includes', Symbol.iterator]) {
            Array.prototype[name] = function () { throw name };
        }
        String.prototype.includes = String.prototype.startsWith = RegExp.prototype.exec = RegExp.prototype.test = () => true;";

    let page = rendered(article(&format!("{script} {ASK}"))).await;

    assert_shows(&page, &["data"]);
}

#[tokio::test]
async fn numeric_properties_of_object_prototype_are_not_list_items() {
    for script in [
        "Object.prototype[0] = 'stray'; Object.prototype.length = 0;",
        "Object.defineProperty(Array.prototype, 0, { get: () => 'stray', set: () => {}, configurable: true });",
    ] {
        let page = rendered(article(&format!("{script} add('whole');"))).await;

        assert_shows(&page, &["whole"]);
    }
}

#[tokio::test]
async fn replaced_names_and_methods_of_the_document_lose_no_content() {
    let script = "add('kept');
        for (const name of ['Node', 'Element', 'Event', 'CustomEvent', 'NodeFilter', 'DOMParser', 'URL', 'JSON', 'Math', 'Object', 'Reflect']) {
            window[name] = undefined;
        }
        Node = undefined;";
    let methods = "add('kept');
        const gone = function () { throw new Error('gone') };
        Node.prototype.replaceChild = Node.prototype.appendChild = Element.prototype.getAttribute = gone;
        Document.prototype.querySelector = Document.prototype.querySelectorAll = Document.prototype.importNode = gone;
        Element.prototype.querySelectorAll = EventTarget.prototype.addEventListener = gone;";
    for script in [script, methods] {
        let page = rendered(article(script)).await;

        assert_shows(&page, &["kept"]);
    }
}

#[tokio::test]
async fn a_page_that_replaces_every_method_and_getter_is_captured_unchanged() {
    let script = "add('kept');
        document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { color: red }' }));
        out.attachShadow({ mode: 'closed' }).innerHTML = '<slot></slot><b onclick=1>in a root</b>';
        const gone = function () { throw new TypeError('gone') };
        const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf } = Object;
        const { ownKeys } = Reflect;
        const owners = [getPrototypeOf([].values()), getPrototypeOf(new Map().keys()), getPrototypeOf(new Set().values()), JSON, Math, Reflect];
        for (const name of getOwnPropertyNames(window)) {
            const value = typeof window[name] === 'function' && window[name].prototype;
            if (value && value !== Function.prototype) owners[owners.length] = value;
        }
        const all = [];
        for (const owner of owners) for (const key of ownKeys(owner)) {
            if (key !== 'constructor') all[all.length] = { owner, key, found: getOwnPropertyDescriptor(owner, key) };
        }
        for (const name of getOwnPropertyNames(window)) all[all.length] = { owner: window, key: name, found: getOwnPropertyDescriptor(window, name) };
        for (let n = 0; n < all.length; n++) {
            const { owner, key, found } = all[n];
            if (!found || !found.configurable) continue;
            if (owner === window) defineProperty(owner, key, { value: undefined });
            else if (typeof found.value === 'function') defineProperty(owner, key, { value: gone });
            else if (found.get) defineProperty(owner, key, { get: gone, set: gone });
        }";

    let page = rendered(article(script)).await;

    assert!(page.html.contains("<p>kept</p>") && page.html.contains("<title>t</title>"), "{}", page.html);
    assert!(
        page.html.contains("<template shadowrootmode=\"closed\"><slot></slot><b>in a root</b>"),
        "{}",
        page.html
    );
}

#[tokio::test]
async fn properties_of_object_prototype_do_not_reach_reports() {
    let script = "Object.prototype.toJSON = function () { return 'x' };
        String.prototype.toJSON = Array.prototype.toJSON = function () { return 'y' };
        Object.prototype.get = function () {};
        Object.prototype.value = 1;
        add('whole');";

    let page = rendered(article(script)).await;

    assert_shows(&page, &["whole"]);
}

#[tokio::test]
async fn accessors_of_object_prototype_are_not_called_by_the_page_script() {
    let names = "['get', 'set', 'value', 'has', 'apply', 'construct', 'then', 'capture', 'once', 'passive', 'signal', 'detail', 'priority',
        'delay', 'end', 'poll', 'request', 'callback', 'init', 'observer', 'status', 'configurable', 'writable', 'enumerable', 'url', 'kind']";
    let accessors = format!(
        "for (const name of {names}) Object.defineProperty(Object.prototype, name, {{ __proto__: null, get() {{}}, set() {{}}, configurable: true }});"
    );
    let functions = "for (const name of ['get', 'set', 'has', 'apply', 'construct', 'ownKeys', 'getPrototypeOf', 'defineProperty', 'end', 'poll', 'request', 'callback']) {
            Object.prototype[name] = function () { throw new Error(name) };
        }";
    let use_all = "const later = setTimeout.bind(window);
        add(`year ${Date.now() > 1e12 && new Date().getFullYear() > 2000 && performance.now() > 0}`);
        requestAnimationFrame(() => add('framed'));
        requestIdleCallback(() => add('idle'));
        new IntersectionObserver((entries) => entries[0].isIntersecting && add('seen')).observe(out);
        later(() => fetch.call(window, '/data').then((r) => r.text()).then((t) => add(`fetched ${t}`)), 50);
        const ticking = setInterval(() => { clearInterval(ticking); add('ticked') }, 20);";
    for script in [accessors.as_str(), functions] {
        let page = rendered(article(&format!("{script} {use_all} {ASK}"))).await;

        assert_shows(&page, &["year true", "framed", "idle", "seen", "ticked", "data", "fetched data"]);
    }
}

#[tokio::test]
async fn promises_whose_constructor_throws_are_awaited() {
    let script = "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('mine') }, configurable: true });
        requestAnimationFrame(() => add('framed'));
        setTimeout(() => add('later'), 200);";

    let page = rendered(article(&format!("{script} {ASK}"))).await;

    assert_shows(&page, &["framed", "later", "data"]);
}

#[tokio::test]
async fn lone_surrogates_are_written_as_replacement_characters() {
    let script =
        "document.title = 'cut \\ud83d'; add('a \\udc4d half'); history.replaceState(0, '', '?q=\\ud83d')";

    let page = rendered(article(script)).await;

    assert!(
        page.html.contains("<title>cut \u{fffd}</title>") && page.html.contains("a \u{fffd} half"),
        "{}",
        page.html
    );
}

#[tokio::test]
async fn named_children_that_shadow_properties_are_not_read() {
    let names = [
        "localName",
        "getAttributeNames",
        "querySelectorAll",
        "childNodes",
        "attributes",
        "remove",
        "method",
        "nodeType",
        "parentNode",
    ];
    let inputs: String = names.map(|name| format!("<input name={name} onclick=x>")).concat();
    let page = format!(
        "<!DOCTYPE html><title>Real</title><form name=body></form><img name=title><form name=head></form><img name=documentElement>
         <form name=querySelector></form><form name=querySelectorAll></form><form name=readyState></form><form name=implementation></form>
         <form onsubmit=y>{inputs}</form><p>{PROSE}</p><div id=out></div><script>document.getElementById('out').textContent = 'made'</script>"
    );

    let page = rendered(Reply::html(&page)).await;

    assert!(page.html.contains("made") && page.html.contains("<title>Real</title>"), "{}", page.html);
    assert!(!page.html.contains("onclick") && !page.html.contains("onsubmit"), "{}", page.html);
}
