//! Templates of addresses: which pages are probably made alike. Decides which pages are rendered without a sign that
//! they need it.

use std::collections::HashMap;

use crate::site::Row;

/// Pages of each template that are rendered to see whether scripts change them.
const FIRST: u32 = 3;
/// Pages that are rendered once one of the first showed that they do.
const MORE: u32 = 200;

#[derive(Default)]
struct Pattern {
    seen: u32,
    extra: u32,
    is_changed_by_scripts: bool,
}

/// What is known of the templates of a site.
#[derive(Default)]
pub struct Patterns(HashMap<String, Pattern>);

impl Patterns {
    /// Counts a page, and says whether it is rendered for its template's sake.
    pub fn wants_render(&mut self, key: &str) -> bool {
        let pattern = self.0.entry(template(key)).or_default();
        pattern.seen += 1;
        if pattern.seen <= FIRST {
            return true;
        }
        if pattern.is_changed_by_scripts && pattern.extra < MORE {
            pattern.extra += 1;
            return true;
        }
        false
    }

    /// Counts a page of an earlier run as it was counted then.
    pub fn remember(&mut self, key: &str, row: &Row) {
        if row.is_page() {
            self.wants_render(key);
        }
        if row.is_changed_by_scripts {
            self.changed_by_scripts(key);
        }
    }

    /// Remembers that scripts change a page in a way that matters.
    pub fn changed_by_scripts(&mut self, key: &str) {
        self.0.entry(template(key)).or_default().is_changed_by_scripts = true;
    }
}

/// The template of an address: what varies in its path is `*`, of its query only the names are kept.
pub fn template(key: &str) -> String {
    let (path, query) = key.split_once('?').unwrap_or((key, ""));
    let segments: Vec<&str> = path.split('/').collect();
    let last = segments.len() - 1;
    let mut template: Vec<&str> = Vec::with_capacity(segments.len());
    for (index, segment) in segments.iter().enumerate() {
        // The last segment names the page; the folder before it says what kind of page it is.
        let is_name =
            index == last && index > 1 || index + 1 == last && segments[last].is_empty() && index > 1;
        template.push(if is_name && !segment.is_empty() || is_variable(segment) { "*" } else { segment });
    }
    let mut names: Vec<&str> =
        query.split('&').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
    names.sort_unstable();
    format!("{}?{}", template.join("/"), names.join("&"))
}

fn is_variable(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = segment.len() >= 12 && segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_slug = segment.len() > 15 && segment.matches('-').count() >= 2;
    digits > 0 && digits == segment.len() || is_hex || is_slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_kind_have_one_template() {
        assert_eq!(template("/blog/2024/05/my-post/"), template("/blog/2019/11/another/"));
        assert_eq!(template("/p/1-shoe"), template("/p/2-boot"));
        assert_eq!(template("/list?b=1&a=2"), template("/list?a=3&b=4"));
        assert_ne!(template("/about"), template("/contact"));
        assert_ne!(template("/p/shoe"), template("/blog/shoe"));
    }

    #[test]
    fn only_the_first_pages_are_rendered_unless_scripts_change_them() {
        let mut patterns = Patterns::default();

        let first: Vec<bool> = (0..5).map(|number| patterns.wants_render(&format!("/p/{number}"))).collect();
        patterns.changed_by_scripts("/p/0");

        assert_eq!(first, [true, true, true, false, false]);
        assert!(patterns.wants_render("/p/9"));
    }
}
