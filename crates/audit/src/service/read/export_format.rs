//! Forms of exports: cells for spreadsheets, lines of JSON, sitemaps. Used by exports. Pure.

use serde_json::{Map, Value};

use platform::api::csv::cell;

/// Form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditExportFormat {
    /// For spreadsheets.
    Csv,
    /// A JSON object per line.
    Ndjson,
    /// A sitemap.
    Xml,
}

const SITEMAP_NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

impl AuditExportFormat {
    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<AuditExportFormat> {
        Some(match text {
            "csv" => AuditExportFormat::Csv,
            "ndjson" => AuditExportFormat::Ndjson,
            "xml" => AuditExportFormat::Xml,
            _ => return None,
        })
    }

    pub(super) fn head(self, columns: &[String]) -> String {
        match self {
            AuditExportFormat::Csv => columns.join(",") + "\r\n",
            AuditExportFormat::Ndjson => String::new(),
            AuditExportFormat::Xml => {
                format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"{SITEMAP_NAMESPACE}\">\n"
                )
            }
        }
    }

    pub(super) fn tail(self) -> &'static str {
        if self == AuditExportFormat::Xml { "</urlset>\n" } else { "" }
    }

    pub(super) fn write(self, text: &mut String, columns: &[String], line: &Map<String, Value>) {
        match self {
            AuditExportFormat::Csv => {
                let cells = columns.iter().map(|column| cell(line.get(column)));
                text.push_str(&cells.collect::<Vec<_>>().join(","));
                text.push_str("\r\n");
            }
            AuditExportFormat::Ndjson => {
                text.push_str(&serde_json::to_string(line).expect("lines are plain data"));
                text.push('\n');
            }
            AuditExportFormat::Xml => {
                let loc = line.get("loc").and_then(Value::as_str).unwrap_or_default();
                text.push_str(&format!("  <url><loc>{}</loc></url>\n", escaped(loc)));
            }
        }
    }
}

/// Returns a sitemap index of `files` files at the root of a site.
pub(super) fn sitemap_index(site: &str, files: usize) -> String {
    let names = (1..=files).map(|file| format!("{site}sitemap-{file}.xml"));
    let entries: String =
        names.map(|name| format!("  <sitemap><loc>{}</loc></sitemap>\n", escaped(&name))).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"{SITEMAP_NAMESPACE}\">\n{entries}</sitemapindex>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_many_sitemaps_names_each_at_the_root_of_the_site() {
        let index = sitemap_index("https://shop.example/", 2);

        assert!(index.contains("<loc>https://shop.example/sitemap-1.xml</loc>"), "{index}");
        assert_eq!(index.matches("<sitemap>").count(), 2);
    }
}
