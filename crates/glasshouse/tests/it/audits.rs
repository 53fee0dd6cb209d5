//! Audits from end to end: the binary, real Chromium, and a site whose pages are made by scripts.

use serde_json::{Value, json};

use crate::support::{PATIENCE, Service, Site, eventually, eventually_within};

const HTML: &str = "200 OK\r\ncontent-type: text/html; charset=utf-8";

fn shell(title: &str, script: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><title>{title}</title></head><body><div id=app></div>\
         <script>{script}</script></body></html>"
    )
}

fn start(service: &Service) -> String {
    let body = json!({
        "domain": "shop.test", "urls": ["https://shop.test/"], "mode": "follow", "allowSampling": false,
    });
    let reply = service.post("/api/seo-spider/runs", &body.to_string());
    let started: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(started["ok"], true, "{}", reply.body);
    started["runId"].as_str().unwrap().to_owned()
}

/// Waits for the end of a run and returns it with its pages. The job of a killed process keeps its lease for half a minute.
fn finished(service: &Service, id: &str) -> Value {
    let read = || -> Value {
        let reply = service.ask(&format!("/api/seo-spider/runs/{id}?limit=500"));
        serde_json::from_str(&reply.body).expect("a run")
    };
    eventually_within(3 * PATIENCE, "the end of the audit", || read()["run"]["completedAt"].is_number());
    read()
}

fn issues_of<'a>(details: &'a Value, path: &str) -> Vec<&'a str> {
    let page = details["pages"].as_array().unwrap().iter().find(|page| page["path"] == path);
    let issues = page.unwrap_or_else(|| panic!("no {path} in {details:#}"))["issues"].as_array().unwrap();
    issues.iter().map(|issue| issue["issueId"].as_str().unwrap()).collect()
}

fn app(site: &Site) {
    let words = "'<p>' + 'Shoes are made by hand in Porto. '.repeat(20) + '</p>'";
    let show = |more: &str| format!("document.querySelector('#app').innerHTML = {words}; {more}");
    let start = show(
        "document.querySelector('#app').innerHTML += '<a href=/renamed>a</a><a href=/hidden>b</a><a href=/sound>c</a>'",
    );
    site.answers("/", HTML, &shell("Shoes made by hand", &start));
    site.answers(
        "/renamed",
        HTML,
        &shell("Loading the shop", &show("document.title = 'Boots made by hand'")),
    );
    let hide = show("document.head.innerHTML += '<meta name=robots content=noindex>'");
    site.answers("/hidden", HTML, &shell("Sandals made by hand", &hide));
    let text = "Shoes are made by hand in Porto. ".repeat(20);
    let sound = format!(
        "<!DOCTYPE html><html lang=en><head><title>Slippers made by hand</title></head><body><p>{text}</p>\
         <script>document.title</script></body></html>"
    );
    site.answers("/sound", HTML, &sound);
}

#[test]
fn what_scripts_change_of_pages_is_found_in_the_browser() {
    let site = Site::start();
    app(&site);
    let service = Service::start(&site, "");

    let details = finished(&service, &start(&service));

    assert_eq!(details["run"]["status"], "success", "{:#}", details["run"]);
    assert!(details["run"]["crawlStats"]["renderedPages"].as_u64().unwrap() >= 3);
    assert!(issues_of(&details, "/").contains(&"JS_CONTENT_MISSING_RAW"), "{:?}", issues_of(&details, "/"));
    let renamed = issues_of(&details, "/renamed");
    assert!(renamed.contains(&"JS_TITLE_CHANGED"), "{renamed:?}");
    let hidden = issues_of(&details, "/hidden");
    assert!(hidden.contains(&"JS_NOINDEX_ADDED"), "{hidden:?}");
    let sound = issues_of(&details, "/sound");
    assert!(!sound.iter().any(|issue| issue.starts_with("JS_")), "{sound:?}");
    let page = details["pages"].as_array().unwrap().iter().find(|page| page["path"] == "/renamed").unwrap();
    let run = details["run"]["id"].as_str().unwrap();
    let page = service.ask(&format!("/api/seo-spider/runs/{run}/pages/{}", page["id"].as_str().unwrap()));
    let page: Value = serde_json::from_str(&page.body).unwrap();
    assert_eq!(page["raw"]["title"], "Loading the shop");
    assert_eq!(page["rendered"]["title"], "Boots made by hand");
}

#[test]
fn an_audit_goes_on_after_the_process_was_killed() {
    let site = Site::start();
    let links: String = (0..200).map(|page| format!("<a href=/page/{page}>Page {page}</a> ")).collect();
    site.answers("/", HTML, &format!("<!DOCTYPE html><title>Start</title>{links}"));
    for page in 0..200 {
        let text = "Words of a page. ".repeat(40);
        let body = format!("<!DOCTYPE html><title>Page {page}</title><p>{text}</p><a href=/>Start</a>");
        site.answers(&format!("/page/{page}"), HTML, &body);
    }
    let mut service = Service::start(&site, "");
    let id = start(&service);
    eventually("some pages", || site.count("/page/20") > 0);

    service.restart_after_a_kill();

    let details = finished(&service, &id);
    assert_eq!(details["run"]["status"], "success", "{:#}", details["run"]);
    assert_eq!(details["run"]["pagesCrawled"], 201, "{:#}", details["run"]);
}
