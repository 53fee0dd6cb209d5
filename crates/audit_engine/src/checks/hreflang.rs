//! Checks of language versions. Each entry gets at most one verdict about its target.

use std::collections::{HashMap, HashSet};

use super::{Check, ERROR, Evidence, Fires, NOTICE, WARNING};
use crate::address::Target;
use crate::page::Page;
use crate::page::view::CheckedRows;
use crate::site::{AlternateVerdict, CrawledSite, NamedRow};

const LOCALIZED: &str =
    "https://developers.google.com/search/docs/specialty/international/localized-versions";
const H_ERROR: Check = Check { source: LOCALIZED, ..ERROR };
const H_WARNING: Check = Check { source: LOCALIZED, ..WARNING };
const H_NOTICE: Check = Check { source: LOCALIZED, ..NOTICE };

/// ISO 639-1. As of 2026-11-20.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";
/// ISO 3166-1 alpha-2. As of 2026-11-20.
const REGIONS: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/// Returns true for a two-letter language that exists.
pub fn is_language(tag: &str) -> bool {
    LANGUAGES.split(' ').any(|known| known.eq_ignore_ascii_case(tag))
}

/// Returns true for a two-letter region that exists.
pub fn is_region(tag: &str) -> bool {
    REGIONS.split(' ').any(|known| known.eq_ignore_ascii_case(tag))
}

/// Returns true for x-default, or language, script and region as search engines accept them.
pub fn is_valid(value: &str) -> bool {
    if value.eq_ignore_ascii_case("x-default") {
        return true;
    }
    let parts: Vec<&str> = value.split('-').collect();
    let is_script = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    match parts[..] {
        [language] => is_language(language),
        [language, other] => is_language(language) && (is_region(other) || is_script(other)),
        [language, script, region] => is_language(language) && is_script(script) && is_region(region),
        _ => false,
    }
}

fn primary(value: &str) -> String {
    value.split('-').next().unwrap_or_default().to_ascii_lowercase()
}

fn is_default(value: &str) -> bool {
    value.eq_ignore_ascii_case("x-default")
}

/// Returns the values of the entries that name the page itself.
fn own_values<'a>(page: &'a Page) -> impl Iterator<Item = &'a str> {
    let own = Target::Internal(page.key.clone());
    let names_page = move |url: &url::Url| page.input.origin.target(url) == own;
    page.alternates
        .iter()
        .filter(move |(_, url)| url.as_ref().is_some_and(&names_page))
        .map(|(lang, _)| lang.as_str())
}

fn verdict_is(site: &CrawledSite, row: &NamedRow, verdict: AlternateVerdict, found: &mut Evidence) {
    for entry in &row.named.alternates {
        if site.alternate_verdict(row, entry) == verdict {
            let url =
                entry.to.map(|to| site.url(to)).or_else(|| entry.elsewhere.as_deref().map(str::to_owned));
            found.add(url.unwrap_or_default(), &*entry.lang, "hreflang");
        }
    }
}

fn is_missing_self(page: &Page) -> bool {
    let language = page.language();
    let is_selector =
        page.alternates.iter().any(|(lang, _)| !is_default(lang) && Some(primary(lang)) == language);
    !page.alternates.is_empty() && !own_values(page).any(|value| !is_default(value) || is_selector)
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "HREFLANG_INVALID_CODE",
        title: "Language version with an invalid code",
        why: "The entry is ignored.",
        fix: "Use a language such as en, with a region such as en-GB.",
        bad: "<link rel=alternate hreflang=en-UK href=https://site.example/>",
        good: "<link rel=alternate hreflang=en-gb href=https://site.example/>",
        fires: Fires::Elements(|page, found| {
            for (lang, url) in page.alternates.iter().filter(|(lang, _)| !is_valid(lang)) {
                found.add(url.as_ref().map(ToString::to_string).unwrap_or_default(), lang, "");
            }
        }),
        ..H_ERROR
    },
    Check {
        id: "HREFLANG_NO_RETURN",
        title: "Language version does not point back",
        why: "Without a return link both entries are ignored.",
        fix: "Add an entry for this page on the other one.",
        bad: "GET /\n<link rel=alternate hreflang=en href=https://site.example/><link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\nde",
        good: "GET /\n<link rel=alternate hreflang=en href=https://site.example/><link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\n<link rel=alternate hreflang=en href=https://site.example/><link rel=alternate hreflang=de href=https://site.example/de>",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, AlternateVerdict::NoReturn, found)),
        ..H_ERROR
    },
    Check {
        id: "HREFLANG_MISSING_SELF",
        title: "Page is not among its language versions",
        why: "The set is incomplete and may be ignored.",
        fix: "Add an entry for the page itself.",
        bad: "<link rel=alternate hreflang=de href=https://site.example/de>",
        good: "<link rel=alternate hreflang=en href=https://site.example/>",
        fires: Fires::When(is_missing_self),
        ..H_WARNING
    },
    Check {
        id: "HREFLANG_NO_X_DEFAULT",
        title: "No version for all other languages",
        why: "Search engines choose one for visitors who speak none of them.",
        fix: "Add an entry with hreflang=\"x-default\".",
        bad: "<link rel=alternate hreflang=en href=https://site.example/><link rel=alternate hreflang=de href=https://site.example/de>",
        good: "<link rel=alternate hreflang=en href=https://site.example/><link rel=alternate hreflang=x-default href=https://site.example/>",
        fires: Fires::When(|page| {
            let values: HashSet<String> =
                page.alternates.iter().map(|(lang, _)| lang.to_ascii_lowercase()).collect();
            values.len() >= 2 && !values.contains("x-default")
        }),
        ..H_NOTICE
    },
    Check {
        id: "HREFLANG_TO_ERROR",
        title: "Language version leads to an error",
        why: "The entry is ignored.",
        fix: "Name a page that exists.",
        bad: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de 404",
        good: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\nde",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, AlternateVerdict::Error, found)),
        ..H_ERROR
    },
    Check {
        id: "HREFLANG_TO_REDIRECT",
        title: "Language version leads to a redirect",
        why: "The entry may be ignored.",
        fix: "Name the address that the redirect leads to.",
        bad: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de 301\nlocation: /",
        good: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\nde",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, AlternateVerdict::Redirect, found)),
        ..H_WARNING
    },
    Check {
        id: "HREFLANG_TO_NOINDEX",
        title: "Language version is noindex",
        why: "It cannot be shown.",
        fix: "Remove noindex from it, or the entry.",
        bad: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\nx-robots-tag: noindex\n\nde",
        good: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\nde",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, AlternateVerdict::Noindex, found)),
        ..H_WARNING
    },
    Check {
        id: "HREFLANG_TO_NON_CANONICAL",
        title: "Language version has another canonical",
        why: "It is not the page that is shown.",
        fix: "Name the canonical page.",
        bad: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\n<link rel=canonical href=https://site.example/>",
        good: "GET /\n<link rel=alternate hreflang=de href=https://site.example/de>\nGET /de\n<link rel=canonical href=https://site.example/de>",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, AlternateVerdict::NonCanonical, found)),
        ..H_WARNING
    },
    Check {
        id: "HREFLANG_RELATIVE",
        title: "Language version with a relative address",
        why: "Search engines want absolute addresses here.",
        fix: "Write the address with https://.",
        bad: "<link rel=alternate hreflang=en href=/>",
        good: "<link rel=alternate hreflang=en href=https://site.example/>",
        fires: Fires::Elements(|page, found| {
            for entry in &page.facts.alternates.head {
                let href = entry.href.trim().to_ascii_lowercase();
                if !href.starts_with("http://") && !href.starts_with("https://") {
                    found.add("", &entry.href, &*entry.lang);
                }
            }
        }),
        ..H_WARNING
    },
    Check {
        id: "HREFLANG_DUPLICATE_LANG",
        title: "Two pages for one language",
        why: "Both entries are ignored.",
        fix: "Keep one.",
        bad: "<link rel=alternate hreflang=de href=https://site.example/><link rel=alternate hreflang=DE href=https://site.example/de>",
        good: "<link rel=alternate hreflang=en href=https://site.example/><link rel=alternate hreflang=x-default href=https://site.example/>",
        fires: Fires::Elements(|page, found| {
            let mut targets: HashMap<String, HashSet<Target>> = HashMap::new();
            for (lang, url) in &page.alternates {
                let Some(url) = url else { continue };
                let seen = targets.entry(lang.to_ascii_lowercase()).or_default();
                if seen.insert(page.input.origin.target(url)) && seen.len() > 1 {
                    found.add(url.clone(), lang, "");
                }
            }
        }),
        ..H_ERROR
    },
    Check {
        id: "HREFLANG_LANG_MISMATCH",
        title: "Entry and document name different languages",
        why: "One of them is wrong.",
        fix: "Correct lang on the html element, or the entry.",
        bad: "<html lang=en><link rel=alternate hreflang=de href=https://site.example/>",
        good: "<html lang=de-AT><link rel=alternate hreflang=de href=https://site.example/>",
        fires: Fires::When(|page| {
            let Some(language) = page.language() else { return false };
            let own: Vec<String> = own_values(page).filter(|value| !is_default(value)).map(primary).collect();
            !own.is_empty() && !own.contains(&language)
        }),
        ..H_NOTICE
    },
    Check {
        id: "HREFLANG_CANONICAL_CONFLICT",
        on: CheckedRows::Candidate,
        title: "Canonical is another language version",
        why: "The page says that it is a copy of its translation.",
        fix: "Let each language version name itself as canonical.",
        bad: "<html lang=en><link rel=canonical href=https://site.example/de><link rel=alternate hreflang=de href=https://site.example/de><link rel=alternate hreflang=en href=https://site.example/>",
        good: "<html lang=en><link rel=canonical href=https://site.example/><link rel=alternate hreflang=de href=https://site.example/de>",
        fires: Fires::When(|page| {
            let Some(canonical) = page.other_canonical() else { return false };
            let own =
                own_values(page).find(|value| !is_default(value)).map(primary).or_else(|| page.language());
            page.alternates.iter().any(|(lang, url)| {
                let is_canonical = url.as_ref().is_some_and(|url| page.input.origin.target(url) == canonical);
                is_canonical && !is_default(lang) && own.as_ref().is_some_and(|own| *own != primary(lang))
            })
        }),
        ..H_ERROR
    },
];
