//! Checks of structured data against what rich results need.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Check, ERROR, Evidence, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::page::structured::{property, types};
use crate::page::text::{collapse, fold};
use crate::page::view::Rows;

const RICH_RESULTS: &str =
    "https://developers.google.com/search/docs/appearance/structured-data/search-gallery";
const POLICIES: &str = "https://developers.google.com/search/docs/appearance/structured-data/sd-policies";

/// A rich result: its type with the subtypes that sites use, and the properties it needs and profits from.
struct RichResult {
    types: &'static [&'static str],
    required: &'static [&'static str],
    recommended: &'static [&'static str],
}

/// A property may be `a|b`: one of them is enough. As of 2026-11-20.
const RICH_RESULTS_TABLE: &[RichResult] = &[
    RichResult {
        types: &["Article", "NewsArticle", "BlogPosting", "TechArticle", "Report", "ScholarlyArticle"],
        required: &[],
        recommended: &["author", "datePublished", "headline", "image"],
    },
    RichResult { types: &["BreadcrumbList"], required: &["itemListElement"], recommended: &[] },
    RichResult {
        types: &[
            "Event",
            "MusicEvent",
            "SportsEvent",
            "TheaterEvent",
            "Festival",
            "BusinessEvent",
            "EducationEvent",
        ],
        required: &["name", "startDate", "location"],
        recommended: &["description", "endDate", "eventStatus", "image", "offers", "organizer"],
    },
    RichResult { types: &["FAQPage"], required: &["mainEntity"], recommended: &[] },
    RichResult {
        types: &["JobPosting"],
        required: &[
            "title",
            "description",
            "datePosted",
            "hiringOrganization",
            "jobLocation|applicantLocationRequirements",
        ],
        recommended: &["baseSalary", "employmentType", "validThrough"],
    },
    RichResult {
        types: &[
            "LocalBusiness",
            "Restaurant",
            "Store",
            "Hotel",
            "Dentist",
            "AutoRepair",
            "ProfessionalService",
        ],
        required: &["name", "address"],
        recommended: &["geo", "openingHoursSpecification", "telephone", "url"],
    },
    RichResult {
        types: &["Product", "ProductGroup", "IndividualProduct", "ProductModel", "Vehicle", "Car"],
        required: &["name", "offers|review|aggregateRating"],
        recommended: &["image", "description", "brand"],
    },
    RichResult {
        types: &["Recipe"],
        required: &["name", "image"],
        recommended: &[
            "author",
            "datePublished",
            "description",
            "recipeIngredient",
            "recipeInstructions",
            "totalTime",
        ],
    },
    RichResult {
        types: &["Review", "CriticReview", "UserReview"],
        required: &["author", "itemReviewed", "reviewRating"],
        recommended: &["datePublished"],
    },
    RichResult {
        types: &["AggregateRating"],
        required: &["itemReviewed", "ratingValue", "ratingCount|reviewCount"],
        recommended: &[],
    },
    RichResult {
        types: &["VideoObject"],
        required: &["name", "thumbnailUrl", "uploadDate"],
        recommended: &["description", "duration", "contentUrl|embedUrl"],
    },
];
/// What templates put on every page is no conflict with noindex.
const PAGE_SPECIFIC: &[&str] =
    &["Article", "Event", "FAQPage", "JobPosting", "Product", "Recipe", "Review", "VideoObject"];

fn rich_result(object: &Value) -> Option<&'static RichResult> {
    types(object).find_map(|name| RICH_RESULTS_TABLE.iter().find(|result| result.types.contains(&name)))
}

fn lacks(object: &Value, property_names: &str) -> bool {
    property_names.split('|').all(|name| property(object, name).is_none())
}

fn add_missing(page: &Page, found: &mut Evidence, of: fn(&'static RichResult) -> &'static [&'static str]) {
    for object in &page.structured.objects {
        let Some(result) = rich_result(object) else { continue };
        for name in of(result).iter().filter(|name| lacks(object, name)) {
            found.add("", result.types[0], *name);
        }
    }
}

/// Elements of a breadcrumb that lack position, name, or (all but the last) an item.
fn add_broken_breadcrumbs(object: &Value, found: &mut Evidence) {
    let Some(Value::Array(items)) = property(object, "itemListElement") else { return };
    for (index, item) in items.iter().enumerate() {
        let inner = item.get("item");
        let has_name =
            property(item, "name").is_some() || inner.is_some_and(|inner| property(inner, "name").is_some());
        let is_last = index + 1 == items.len();
        if !has_name || property(item, "position").is_none() || !is_last && property(item, "item").is_none() {
            found.add("", "BreadcrumbList", format!("element {}", index + 1));
        }
    }
}

/// The text that names an object to readers.
fn name_of(object: &Value) -> Option<&str> {
    let key = types(object).find_map(|name| match name {
        "Product" | "Event" | "Recipe" => Some("name"),
        "Article" | "NewsArticle" | "BlogPosting" => Some("headline"),
        "JobPosting" => Some("title"),
        _ => None,
    })?;
    property(object, key)?.as_str()
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "STRUCTURED_DATA_MISSING",
        title: "No structured data",
        why: "The page cannot appear as a rich result.",
        fix: "Describe the page in JSON-LD.",
        source: RICH_RESULTS,
        bad: "<p>Shoes",
        good: "<script type=application/ld+json>{\"@type\":\"Thing\"}</script>",
        fires: Fires::When(|page| !page.facts.has_structured_data()),
        ..NOTICE
    },
    Check {
        id: "STRUCTURED_DATA_INVALID_JSON",
        title: "Structured data is no JSON",
        why: "It is ignored.",
        fix: "Correct the syntax.",
        source: RICH_RESULTS,
        bad: "<script type=application/ld+json>{\"@type\":\"Thing\",}</script>",
        good: "<script type=application/ld+json>{\"@type\":\"Thing\"}</script>",
        fires: Fires::Elements(|page, found| {
            page.structured.broken.iter().for_each(|reason| found.add("", "", reason));
        }),
        ..ERROR
    },
    Check {
        id: "STRUCTURED_DATA_REQUIRED_MISSING",
        title: "Structured data lacks what its rich result needs",
        why: "The rich result is not shown.",
        fix: "Add the properties.",
        source: RICH_RESULTS,
        bad: "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Shoe\"}</script>",
        good: "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Shoe\",\"offers\":{\"price\":5}}</script>",
        fires: Fires::Elements(|page, found| {
            add_missing(page, found, |result| result.required);
            for object in page
                .structured
                .objects
                .iter()
                .filter(|object| types(object).any(|name| name == "BreadcrumbList"))
            {
                add_broken_breadcrumbs(object, found);
            }
        }),
        ..ERROR
    },
    Check {
        id: "STRUCTURED_DATA_RECOMMENDED_MISSING",
        title: "Structured data could say more",
        why: "Rich results show what is there.",
        fix: "Add the properties.",
        source: RICH_RESULTS,
        bad: "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"Shoes\"}</script>",
        good: "<script type=application/ld+json>{\"@type\":\"BreadcrumbList\"}</script>",
        fires: Fires::Elements(|page, found| add_missing(page, found, |result| result.recommended)),
        ..NOTICE
    },
    Check {
        id: "STRUCTURED_DATA_UNKNOWN_TYPE",
        title: "Structured data names what schema.org does not have",
        why: "What search engines do not know they ignore.",
        fix: "Correct the name of the type or property; upper and lower case count.",
        source: "https://schema.org/docs/full.html",
        bad: "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Produkt\"}</script>",
        good: "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Product\"}</script>",
        fires: Fires::Elements(|page, found| {
            let unknown: BTreeSet<&str> = page.structured.unknown.iter().map(String::as_str).collect();
            unknown.into_iter().for_each(|name| found.add("", name, "unknown"));
        }),
        ..WARNING
    },
    Check {
        id: "STRUCTURED_DATA_NOT_VISIBLE",
        title: "Structured data names what the page does not show",
        why: "Search engines take it for deceit.",
        fix: "Show the name on the page, or correct the data.",
        source: POLICIES,
        bad: "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Shoe\"}</script><p>Boots",
        good: "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Shoe\"}</script><p>This SHOE",
        fires: Fires::Elements(|page, found| {
            let names: Vec<&str> = page.structured.objects.iter().filter_map(name_of).collect();
            let visible = if names.is_empty() { String::new() } else { fold(&page.facts.visible_text) };
            for name in names.into_iter().filter(|name| !visible.contains(&fold(&collapse(name)))) {
                found.add("", name, "");
            }
        }),
        ..WARNING
    },
    Check {
        id: "STRUCTURED_DATA_NOINDEX_CONFLICT",
        on: Rows::Html,
        title: "Structured data on a page that is noindex",
        why: "A page outside the index has no rich result.",
        fix: "Remove noindex if the page is to be found.",
        source: RICH_RESULTS,
        bad: "<meta name=robots content=noindex><script type=application/ld+json>{\"@type\":\"Product\"}</script>",
        good: "<meta name=robots content=noindex><script type=application/ld+json>{\"@type\":\"WebPage\"}</script>",
        fires: Fires::When(|page| {
            let is_specific = |object: &Value| {
                rich_result(object).is_some_and(|result| PAGE_SPECIFIC.contains(&result.types[0]))
            };
            page.is_noindex() && page.structured.objects.iter().any(is_specific)
        }),
        ..NOTICE
    },
];
