//! Fuzzes structured data: any script of JSON-LD and any microdata become objects or a reason why not.
#![no_main]

use audit_engine::page::structured::{StructuredData, types};
use audit_engine::page::{Provenance, scan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (script, name) = input;
    let script = script.replace("</", "<");
    let name = name.replace(['"', '<'], "");
    let html = format!(
        "<script type=application/ld+json>{script}</script>\
         <div itemscope itemtype=\"{name}\"><p itemprop=\"{name}\">x</p></div>"
    );
    let facts = scan(&html, Provenance::Raw);
    let data = StructuredData::of(&facts);
    assert!(facts.json_ld.len() <= 1 && data.broken.len() <= 1);
    assert!(data.objects.iter().flat_map(types).all(|name| !name.contains('/')));
});
