//! Recognises the pages that firewalls show instead of the requested page. Pure.

/// Texts of challenges and refusals. As of 2026-11-20.
const MARKERS: &[&str] = &[
    "Just a moment...",
    "Attention Required! | Cloudflare",
    "cf-chl-",
    "_Incapsula_Resource",
    "px-captcha",
    "captcha-delivery.com",
    "sucuri_cloudproxy",
];

/// Returns true for a challenge page.
pub fn is_challenge(html: &str) -> bool {
    MARKERS.iter().any(|marker| html.contains(marker))
        || html.contains("Access Denied") && html.contains("Reference #")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_needs_both_of_its_signs() {
        assert!(is_challenge("<title>Just a moment...</title>"));
        assert!(is_challenge("<h1>Access Denied</h1><p>Reference #18.2"));
        assert!(!is_challenge("<p>Access Denied was a film"));
    }
}
