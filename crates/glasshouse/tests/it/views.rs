//! Views from end to end: the binary, its job, real Chromium, and a site whose pages are made by a script.

use serde_json::{Value, json};

use crate::support::{Service, Site, eventually};

#[test]
fn a_page_is_seen_as_a_person_as_a_crawler_and_without_glasshouse() {
    let site = Site::start();
    site.answers_app("/shoes", "Shoes by hand");
    let service = Service::start(&site, "");
    let session = service.sign_in();

    let order = json!({ "domain": "shop.test", "path": "/shoes" }).to_string();
    let taken = service.ask_as(&session, "POST /api/dashboard/views", &order);
    assert_eq!(taken.status, 202, "{}", taken.body);
    let taken: Value = serde_json::from_str(&taken.body).unwrap();
    let path = format!("/api/dashboard/views/{}", taken["id"].as_str().unwrap());
    let read = || -> Value {
        let reply = service.ask_as(&session, &format!("GET {path}"), "");
        serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{}", reply.body))
    };
    eventually("the end of the view", || read()["state"] != "running");
    let view = read();

    assert_eq!((&view["state"], &view["error"]), (&json!("done"), &json!(null)), "{view:#}");
    assert_eq!((&view["person"]["text"], &view["person"]["words"]), (&json!("Shoes by hand"), &json!(3)));
    assert_eq!(
        (&view["crawler"]["source"], &view["crawler"]["text"]),
        (&json!("rendered"), &json!("Shoes by hand"))
    );
    assert_eq!((&view["raw"]["status"], &view["raw"]["words"]), (&json!(200), &json!(0)));
    assert_eq!(view["raw"]["finalUrl"], "https://shop.test/shoes");
    for pane in ["person", "crawler", "raw"] {
        let picture = &view[pane]["picture"];
        assert_eq!(picture["width"], 1280, "{pane}: {view:#}");
        let reply = service.ask_as(&session, &format!("GET {}", picture["url"].as_str().unwrap()), "");
        assert_eq!((reply.status, reply.header("content-type")), (200, "image/webp"));
        assert_eq!(reply.header("content-length"), picture["bytes"].to_string());
    }
    let requests = view["requests"].as_array().unwrap();
    assert!(requests.iter().any(|request| request["url"] == "https://shop.test/data"), "{requests:#?}");
    assert_eq!(service.crawl("https://shop.test/shoes").tier(), "edge-hit", "it was stored as usual");
}
