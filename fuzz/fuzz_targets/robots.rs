//! Fuzzes robots.txt: any bytes are rules, and an address that no rule can mean is allowed.
#![no_main]

use crawler::robots::Robots;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &str, &str)| {
    let (file, agent, path) = input;
    let robots = Robots::parse(file);
    let _ = robots.decide(agent, path);
    assert!(robots.crawl_delay(agent).is_none_or(|delay| delay >= 0.0));
    // RFC 9309: robots.txt itself is always allowed.
    assert!(robots.decide(agent, "/robots.txt").is_allowed);
});
