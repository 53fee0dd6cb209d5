//! Resources: the issues that audits find, and the pages of the documentation.

use std::borrow::Cow;

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use rust_embed::RustEmbed;

/// Address of the list of issues.
const ISSUES: &str = "glasshouse://issues";
/// Beginning of the address of a page of the documentation.
const DOCS: &str = "glasshouse://docs/";
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// Pages of the documentation: inside a release binary; read from the folder by a debug binary.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../docs"]
#[include = "*.md"]
#[exclude = "decisions/*"]
struct Docs;

/// Lists all resources.
pub fn list() -> Vec<Resource> {
    let issues = Resource::new(ISSUES, "issues")
        .with_description("Every issue that an audit can find: why it matters and how to repair it.")
        .with_mime_type(JSON);
    let pages = Docs::iter().filter_map(|file| {
        let name = file.strip_suffix(".md")?.to_owned();
        Some(Resource::new(format!("{DOCS}{name}"), name).with_mime_type(MARKDOWN))
    });
    std::iter::once(issues).chain(pages).collect()
}

/// Returns the form of the addresses of the documentation.
pub fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{DOCS}{{name}}"), "docs")
        .with_description("A page of the documentation.")
        .with_mime_type(MARKDOWN)
}

/// Reads a resource. None: there is none at this address.
pub fn find(uri: &str) -> Option<ResourceContents> {
    if uri == ISSUES {
        let issues = serde_json::to_string(&audit::handlers::issue_catalogue()).ok()?;
        return Some(ResourceContents::text(issues, uri).with_mime_type(JSON));
    }
    let name = uri.strip_prefix(DOCS)?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.bytes().all(is_name) {
        return None;
    }
    let page = Docs::get(&format!("{name}.md"))?;
    let text: Cow<'_, str> = String::from_utf8_lossy(&page.data);
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_that_is_listed_can_be_read() {
        let listed = list();

        assert!(listed.len() > 20);
        for resource in listed {
            assert!(find(&resource.uri).is_some(), "{}", resource.uri);
        }
    }

    #[test]
    fn nothing_outside_the_documentation_can_be_read() {
        for uri in [
            "glasshouse://docs/../README",
            "glasshouse://docs/",
            "glasshouse://docs/nope",
            "file:///etc/passwd",
        ] {
            assert!(find(uri).is_none(), "{uri}");
        }
    }
}
