//! Fuzzes names of brands against texts: any name compiles, and a match lies within the text.
#![no_main]

use assistants::analysis::matcher::{BrandNames, Matcher, ProseReading, longest};
use assistants::analysis::prose;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(4, '\u{1f}');
    let names: Vec<String> = parts.by_ref().take(3).map(str::to_owned).collect();
    let text = parts.next().unwrap_or_default();
    let domains = names.clone();
    let matcher = Matcher::compile(names.chunks(1).map(|names| BrandNames { names, domains: &domains }));
    let prose = prose::read(text);

    let hits = longest(matcher.hits(&ProseReading::of(&prose)));

    assert!(hits.iter().all(|hit| hit.brand < names.len() && !prose.text[hit.range.clone()].is_empty()));
    assert!(hits.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
    assert!(hits.iter().all(|hit| text.get(prose.source_range(hit.range.clone())).is_some()));
});
