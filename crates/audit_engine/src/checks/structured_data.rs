//! Checks of structured data against the requirements of rich results.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use hashbrown::HashMap;
use serde_json::Value;

use super::{Check, ERROR, Evidence, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::page::structured::{property, types};
use crate::page::text::{collapse, fold};
use crate::page::view::CheckedRows;

const RICH_RESULTS: &str =
    "https://developers.google.com/search/docs/appearance/structured-data/search-gallery";
const POLICIES: &str = "https://developers.google.com/search/docs/appearance/structured-data/sd-policies";

/// A rich result: its type, and the properties that it needs and profits from. Subtypes need the same.
struct RichResult {
    kind: &'static str,
    required: &'static [&'static str],
    recommended: &'static [&'static str],
}

/// Properties of rich results; `a|b` means that one of both is enough. Requirements inside a property are in
/// `add_unfinished`.
/// As of 2026-11-20.
static RICH_RESULTS_TABLE: &[RichResult] = &[
    RichResult {
        kind: "Article",
        required: &[],
        recommended: &["author", "datePublished", "headline", "image"],
    },
    RichResult {
        kind: "Course",
        required: &["name", "description"],
        recommended: &["provider", "offers", "hasCourseInstance"],
    },
    RichResult {
        kind: "Dataset",
        required: &["name", "description"],
        recommended: &["license", "creator", "distribution", "isAccessibleForFree"],
    },
    RichResult { kind: "QAPage", required: &["mainEntity"], recommended: &[] },
    RichResult {
        kind: "SoftwareApplication",
        required: &["name", "offers", "aggregateRating|review"],
        recommended: &["applicationCategory", "operatingSystem"],
    },
    RichResult { kind: "BreadcrumbList", required: &["itemListElement"], recommended: &[] },
    RichResult {
        kind: "Event",
        required: &["name", "startDate", "location"],
        recommended: &["description", "endDate", "eventStatus", "image", "offers", "organizer"],
    },
    RichResult { kind: "FAQPage", required: &["mainEntity"], recommended: &[] },
    RichResult {
        kind: "JobPosting",
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
        kind: "LocalBusiness",
        required: &["name", "address"],
        recommended: &["geo", "openingHoursSpecification", "telephone", "url"],
    },
    RichResult {
        kind: "Product",
        required: &["name", "offers|review|aggregateRating"],
        recommended: &["image", "description", "brand"],
    },
    RichResult {
        kind: "Recipe",
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
        kind: "Review",
        required: &["author", "itemReviewed", "reviewRating"],
        recommended: &["datePublished"],
    },
    RichResult {
        kind: "AggregateRating",
        required: &["itemReviewed", "ratingValue", "ratingCount|reviewCount"],
        recommended: &[],
    },
    RichResult {
        kind: "VideoObject",
        required: &["name", "thumbnailUrl", "uploadDate"],
        recommended: &["description", "duration", "contentUrl|embedUrl"],
    },
];
/// The rich results of each type: its own, or those of the types that it is a kind of. As of 2026-11-23.
static RICH_RESULTS_OF: LazyLock<HashMap<&str, Vec<&RichResult>>> = LazyLock::new(|| {
    let named: HashMap<&str, &RichResult> =
        RICH_RESULTS_TABLE.iter().map(|result| (result.kind, result)).collect();
    let mut of: HashMap<&str, Vec<&RichResult>> =
        named.iter().map(|(kind, result)| (*kind, vec![*result])).collect();
    for line in include_str!("../../data/rich_result_subtypes.tsv").lines() {
        let (subtype, kind) = line.split_once('\t').expect("a subtype, a tab and its type");
        of.entry(subtype).or_default().push(named[kind]);
    }
    of
});
/// Types that belong to a single page. Other types may come from templates and do not conflict with noindex.
const PAGE_SPECIFIC: &[&str] =
    &["Article", "Event", "FAQPage", "JobPosting", "Product", "Recipe", "Review", "VideoObject"];

/// Returns the rich results that an object may become, each once.
fn rich_results(object: &Value) -> impl Iterator<Item = &'static RichResult> {
    let mut seen = BTreeSet::new();
    let of_types = types(object).filter_map(|name| RICH_RESULTS_OF.get(name)).flatten();
    of_types.copied().filter(move |result| seen.insert(result.kind))
}

fn lacks(object: &Value, property_names: &str) -> bool {
    property_names.split('|').all(|name| property(object, name).is_none())
}

fn add_missing(page: &Page, found: &mut Evidence, of: fn(&'static RichResult) -> &'static [&'static str]) {
    for object in &page.structured.objects {
        for result in rich_results(object) {
            of(result)
                .iter()
                .filter(|name| lacks(object, name))
                .for_each(|name| found.add("", result.kind, *name));
        }
    }
}

/// Returns the values of a property: several, one, or none.
fn values<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    match property(object, name) {
        Some(Value::Array(values)) => values,
        Some(value) => std::slice::from_ref(value),
        None => &[],
    }
}

/// Returns true for a value that only refers to another object of the page.
fn is_reference(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.len() == 1 && object.contains_key("@id"))
}

fn is_a(object: &Value, name: &str) -> bool {
    types(object).any(|other| other == name)
}

/// Adds properties that are present and lack a required value inside.
fn add_unfinished(object: &Value, kind: &'static str, found: &mut Evidence) {
    let lacks_inside = |name: &str, is_whole: fn(&Value) -> bool| {
        values(object, name).iter().any(|value| !is_reference(value) && !is_whole(value))
    };
    match kind {
        "BreadcrumbList" => add_broken_breadcrumbs(object, found),
        "Event" => {
            let has_place = |place: &Value| {
                let needed = if is_a(place, "VirtualLocation") { "url" } else { "address" };
                property(place, needed).is_some()
            };
            if lacks_inside("location", has_place) {
                found.add("", kind, "location.address");
            }
        }
        "FAQPage" => {
            for (index, question) in values(object, "mainEntity").iter().enumerate() {
                let answers = values(question, "acceptedAnswer");
                let is_answered =
                    answers.iter().any(|answer| is_reference(answer) || property(answer, "text").is_some());
                if !is_reference(question) && (property(question, "name").is_none() || !is_answered) {
                    found.add("", kind, format!("question {}", index + 1));
                }
            }
        }
        "QAPage" => {
            for question in values(object, "mainEntity").iter().filter(|question| !is_reference(question)) {
                let answers =
                    values(question, "acceptedAnswer").iter().chain(values(question, "suggestedAnswer"));
                let has_text = |answer: &Value| is_reference(answer) || property(answer, "text").is_some();
                let is_answered = answers.clone().count() > 0 && answers.clone().all(has_text);
                if property(question, "name").is_none() {
                    found.add("", kind, "mainEntity.name");
                }
                // A question without an answer yet says so.
                let waits = property(question, "answerCount").is_some_and(|count| count == 0 || count == "0");
                if !is_answered && !waits {
                    found.add("", kind, "mainEntity.acceptedAnswer.text");
                }
            }
        }
        // An application may be free, and has to say so.
        "SoftwareApplication" => {
            let has_price = |offer: &Value| {
                ["price", "lowPrice"].iter().any(|name| property(offer, name).is_some())
                    || property(offer, "priceSpecification").is_some()
            };
            if lacks_inside("offers", has_price) {
                found.add("", kind, "offers.price");
            }
        }
        "JobPosting" => {
            let is_remote = values(object, "jobLocationType").iter().any(|way| way == "TELECOMMUTE");
            let has_region = property(object, "applicantLocationRequirements").is_some();
            if property(object, "jobLocation").is_none() && has_region && !is_remote {
                found.add("", kind, "jobLocationType");
            }
        }
        // One of several is enough, so an offer without a price only counts where nothing else is there.
        "Product" if lacks(object, "review|aggregateRating") => {
            let has_price = |offer: &Value| {
                let prices = values(offer, "priceSpecification");
                if is_a(offer, "AggregateOffer") {
                    property(offer, "lowPrice").is_some()
                } else {
                    property(offer, "price").is_some()
                        || prices.iter().any(|price| property(price, "price").is_some())
                }
            };
            if lacks_inside("offers", has_price) {
                found.add("", kind, "offers.price");
            }
        }
        "Review" if lacks_inside("reviewRating", |rating| property(rating, "ratingValue").is_some()) => {
            found.add("", kind, "reviewRating.ratingValue");
        }
        _ => {}
    }
}

/// Adds elements of a breadcrumb that lack position, name, or (all but the last) an item.
fn add_broken_breadcrumbs(object: &Value, found: &mut Evidence) {
    let items = values(object, "itemListElement");
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

/// Returns the text that names an object to readers.
fn name_of(object: &Value) -> Option<&str> {
    let key = rich_results(object).find_map(|result| match result.kind {
        "Product" | "Event" | "Recipe" => Some("name"),
        "Article" => Some("headline"),
        "JobPosting" => Some("title"),
        _ => None,
    })?;
    property(object, key)?.as_str()
}

/// Folds the case of a text, and writes typographic quotes and dashes as keyboards do: systems that write pages change them.
fn plain(text: &str) -> String {
    let plain = |c| match c {
        '‘' | '’' | '‚' | '‛' | '′' | '´' | '`' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' => '"',
        '‐' | '‑' | '–' | '—' => '-',
        other => other,
    };
    fold(text).chars().map(plain).collect()
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
            for object in &page.structured.objects {
                rich_results(object).for_each(|result| add_unfinished(object, result.kind, found));
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
        bad: "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Jo's shoe\"}</script><p>Boots",
        good: "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Jo's shoe\"}</script><p>This is JO’S SHOE",
        fires: Fires::Elements(|page, found| {
            let names: Vec<&str> = page.structured.objects.iter().filter_map(name_of).collect();
            let visible = if names.is_empty() { String::new() } else { plain(&page.facts.visible_text) };
            for name in names.into_iter().filter(|name| !visible.contains(&plain(&collapse(name)))) {
                found.add("", name, "");
            }
        }),
        ..WARNING
    },
    Check {
        id: "STRUCTURED_DATA_NOINDEX_CONFLICT",
        on: CheckedRows::Html,
        title: "Structured data on a page that is noindex",
        why: "A page outside the index has no rich result.",
        fix: "Remove noindex if the page is to be found.",
        source: RICH_RESULTS,
        bad: "<meta name=robots content=noindex><script type=application/ld+json>{\"@type\":\"Product\"}</script>",
        good: "<meta name=robots content=noindex><script type=application/ld+json>{\"@type\":\"WebPage\"}</script>",
        fires: Fires::When(|page| {
            let is_specific =
                |object: &Value| rich_results(object).any(|result| PAGE_SPECIFIC.contains(&result.kind));
            page.is_noindex() && page.structured.objects.iter().any(is_specific)
        }),
        ..NOTICE
    },
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Lists the missing properties of an object, in the words of the check's evidence.
    fn unfinished(object: &Value) -> Vec<String> {
        let mut found = Evidence::default();
        rich_results(object).for_each(|result| add_unfinished(object, result.kind, &mut found));
        found.examples.iter().map(|example| example.detail.clone()).collect()
    }

    #[test]
    fn what_has_to_stand_inside_a_property_is_asked_for_too() {
        for (object, lacking) in [
            (json!({"@type": "Event", "location": {"@type": "Place", "name": "Hall"}}), "location.address"),
            (json!({"@type": "MusicEvent", "location": {"@type": "VirtualLocation"}}), "location.address"),
            (
                json!({"@type": "FAQPage", "mainEntity": [{"name": "Why?", "acceptedAnswer": {}}]}),
                "question 1",
            ),
            (json!({"@type": "JobPosting", "applicantLocationRequirements": "DE"}), "jobLocationType"),
            (
                json!({"@type": "Product", "offers": {"@type": "Offer", "priceCurrency": "EUR"}}),
                "offers.price",
            ),
            (json!({"@type": "Car", "offers": {"@type": "AggregateOffer", "highPrice": 5}}), "offers.price"),
            (json!({"@type": "UserReview", "reviewRating": {"bestRating": 5}}), "reviewRating.ratingValue"),
            (json!({"@type": "MobileApplication", "offers": {"priceCurrency": "EUR"}}), "offers.price"),
            (json!({"@type": "QAPage", "mainEntity": {"name": "Why?"}}), "mainEntity.acceptedAnswer.text"),
            (json!({"@type": "QAPage", "mainEntity": {"acceptedAnswer": {"text": "So"}}}), "mainEntity.name"),
        ] {
            assert_eq!(unfinished(&object), [lacking], "{object}");
        }
    }

    #[test]
    fn what_is_whole_or_described_elsewhere_is_left_alone() {
        for object in [
            json!({"@type": "Event", "location": {"@type": "VirtualLocation", "url": "https://a.example/"}}),
            json!({"@type": "Event", "location": {"@id": "#hall"}}),
            json!({"@type": "JobPosting", "applicantLocationRequirements": "DE", "jobLocationType": "TELECOMMUTE"}),
            json!({"@type": "Product", "offers": {"priceSpecification": {"price": 5}}}),
            json!({"@type": "Product", "offers": {"@type": "AggregateOffer", "lowPrice": 5}}),
            json!({"@type": "Product", "offers": {"priceCurrency": "EUR"}, "review": {"author": "a"}}),
            json!({"@type": "SoftwareApplication", "offers": {"price": 0}}),
            json!({"@type": "QAPage", "mainEntity": {"name": "Why?", "answerCount": 0}}),
            json!({"@type": "QAPage", "mainEntity": {"name": "Why?", "suggestedAnswer": {"text": "So"}}}),
        ] {
            assert_eq!(unfinished(&object), [""; 0], "{object}");
        }
    }

    #[test]
    fn subtypes_need_what_their_type_needs() {
        for (subtype, kind) in
            [("Bakery", "LocalBusiness"), ("Hackathon", "Event"), ("SomeProducts", "Product")]
        {
            let results: Vec<&str> =
                rich_results(&json!({"@type": subtype})).map(|result| result.kind).collect();

            assert_eq!(results, [kind]);
        }
    }
}
