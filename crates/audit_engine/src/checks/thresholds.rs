//! Thresholds of checks that customers may change: meaning, default and range of each. Checks read the values of an
//! audit from the page or the site.

use std::collections::BTreeMap;

use super::CheckId;

/// A threshold of checks, with its range.
pub struct Threshold {
    /// The number.
    pub id: ThresholdId,
    /// Name in settings.
    pub name: &'static str,
    /// Meaning.
    pub about: &'static str,
    /// Value unless a customer sets another one.
    pub default: f64,
    /// The least that it may be.
    pub min: f64,
    /// The most that it may be.
    pub max: f64,
}

impl Threshold {
    /// Lists the checks that compare with the threshold.
    pub fn checks(&self) -> impl Iterator<Item = CheckId> {
        CheckId::all().filter(|id| id.check().thresholds.contains(&self.id))
    }
}

/// Declares each threshold: its id, its name in settings, the least, usual and greatest value, the meaning.
macro_rules! thresholds {
    ($($id:ident $name:literal [$min:literal, $default:literal, $max:literal] $about:literal;)+) => {
        /// A number that checks ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ThresholdId { $($id,)+ }

        /// Every number, in the order of [`ThresholdId`].
        pub static THRESHOLDS: &[Threshold] = &[$(Threshold {
            id: ThresholdId::$id,
            name: $name,
            about: $about,
            default: $default,
            min: $min,
            max: $max,
        },)+];
    };
}

thresholds! {
    TtfbSlowMs "ttfbSlowMs" [50.0, 800.0, 60_000.0]
        "Milliseconds to the first byte above which a server is slow";
    TtfbVerySlowMs "ttfbVerySlowMs" [50.0, 1800.0, 60_000.0]
        "Milliseconds to the first byte above which a server is very slow";
    HtmlLargeBytes "htmlLargeBytes" [1024.0, 204_800.0, 2_097_152.0] "Bytes above which a document is large";
    TitleMaxCharacters "titleMaxCharacters" [10.0, 60.0, 500.0] "Characters above which a title is too long";
    TitleMinCharacters "titleMinCharacters" [0.0, 30.0, 100.0]
        "Characters below which a title is too short; half of it for Chinese and Japanese";
    TitleMaxPixels "titleMaxPixels" [100.0, 561.0, 5000.0] "Pixels above which a title is too wide";
    DescriptionMaxCharacters "descriptionMaxCharacters" [50.0, 160.0, 1000.0]
        "Characters above which a description is too long";
    DescriptionMinCharacters "descriptionMinCharacters" [0.0, 70.0, 300.0]
        "Characters below which a description is too short; half of it for Chinese and Japanese";
    H1MaxCharacters "h1MaxCharacters" [10.0, 70.0, 500.0]
        "Characters above which a first heading is too long";
    SubheadingWords "subheadingWords" [50.0, 300.0, 10_000.0] "Words from which a text needs subheadings";
    ThinWords "thinWords" [1.0, 200.0, 5000.0] "Words below which a page is thin";
    ThinCjkCharacters "thinCjkCharacters" [1.0, 400.0, 10_000.0]
        "Chinese and Japanese characters below which a page is thin";
    EmptyWords "emptyWords" [1.0, 20.0, 500.0] "Words below which a page is empty";
    TextRatioPercent "textRatioPercent" [0.0, 10.0, 90.0]
        "Hundredths of a document below which its text is little";
    NearDuplicatePercent "nearDuplicatePercent" [80.0, 88.0, 100.0]
        "Estimated likeness, in hundredths, from which two texts are nearly one";
    ReadabilityDifficult "readabilityDifficult" [0.0, 50.0, 100.0]
        "Reading ease below which a text is difficult";
    ReadabilityVeryDifficult "readabilityVeryDifficult" [0.0, 30.0, 100.0]
        "Reading ease below which a text is very difficult";
    UrlMaxCharacters "urlMaxCharacters" [30.0, 115.0, 4000.0] "Characters above which an address is too long";
    UrlMaxParameters "urlMaxParameters" [0.0, 3.0, 100.0] "Parameters above which an address has too many";
    UrlMaxSegments "urlMaxSegments" [1.0, 6.0, 100.0] "Segments above which a path is too deep";
    InternalLinksMax "internalLinksMax" [10.0, 1000.0, 100_000.0]
        "Links to the site above which a page has too many";
    ExternalLinksMax "externalLinksMax" [1.0, 100.0, 100_000.0]
        "Links to other sites above which a page has too many";
    CrawlDepthMax "crawlDepthMax" [1.0, 4.0, 100.0] "Clicks from the start above which a page is far away";
    ImageMaxBytes "imageMaxBytes" [1024.0, 102_400.0, 10_485_760.0]
        "Bytes above which a picture is too heavy";
    InlineImageMaxCharacters "inlineImageMaxCharacters" [100.0, 10_240.0, 2_097_152.0]
        "Characters above which a picture inside the document is too large";
    ImageAltMaxCharacters "imageAltMaxCharacters" [10.0, 100.0, 1000.0]
        "Characters above which a picture's text is too long";
    DomMaxElements "domMaxElements" [100.0, 1500.0, 100_000.0] "Elements above which a document has too many";
    DomMaxDepth "domMaxDepth" [5.0, 32.0, 500.0] "Levels above which elements are nested too deep";
    StateMaxBytes "stateMaxBytes" [20_480.0, 131_072.0, 2_097_152.0]
        "Bytes above which an application's state in the document is large";
    PreviewMinWidth "previewMinWidth" [1.0, 600.0, 10_000.0]
        "Pixels below which a preview picture is too narrow";
    PreviewMinHeight "previewMinHeight" [1.0, 315.0, 10_000.0]
        "Pixels below which a preview picture is too low";
    PreviewMaxBytes "previewMaxBytes" [10_240.0, 8_388_608.0, 104_857_600.0]
        "Bytes above which a preview picture is too heavy";
    RenderSlowMs "renderSlowMs" [100.0, 5000.0, 120_000.0]
        "Milliseconds in the browser above which a page is slow";
    AiPageMaxBytes "aiPageMaxBytes" [10_000.0, 400_000.0, 2_097_152.0]
        "Bytes above which a document with little text is heavy for assistants";
    CertificateDays "certificateDays" [1.0, 21.0, 365.0]
        "Days before its end from which a certificate is old";
}

/// Pairs of which the first must not be above the second.
const ORDERED: &[(ThresholdId, ThresholdId)] = &[
    (ThresholdId::TtfbSlowMs, ThresholdId::TtfbVerySlowMs),
    (ThresholdId::TitleMinCharacters, ThresholdId::TitleMaxCharacters),
    (ThresholdId::DescriptionMinCharacters, ThresholdId::DescriptionMaxCharacters),
    (ThresholdId::EmptyWords, ThresholdId::ThinWords),
    (ThresholdId::ReadabilityVeryDifficult, ThresholdId::ReadabilityDifficult),
];

/// Reason why a threshold is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadThreshold {
    /// Nothing has this name.
    #[error("there is no threshold {0:?}")]
    Unknown(String),
    /// It is too small, too large or no number.
    #[error("{name} takes a number from {min} to {max}")]
    OutOfRange {
        name: &'static str,
        /// The least that it may be.
        min: f64,
        /// The most that it may be.
        max: f64,
    },
    /// Two of them contradict each other.
    #[error("{0} must not be above {1}")]
    Contradiction(&'static str, &'static str),
}

/// Values of all thresholds in one audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds(Vec<f64>);

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds(THRESHOLDS.iter().map(|threshold| threshold.default).collect())
    }
}

impl Thresholds {
    /// Returns the defaults with some values replaced.
    pub fn with(wanted: &BTreeMap<String, f64>) -> Result<Thresholds, BadThreshold> {
        let mut thresholds = Thresholds::default();
        for (name, value) in wanted {
            let known = THRESHOLDS.iter().find(|known| known.name == name);
            let known = known.ok_or_else(|| BadThreshold::Unknown(name.clone()))?;
            if !(known.min..=known.max).contains(value) {
                return Err(BadThreshold::OutOfRange { name: known.name, min: known.min, max: known.max });
            }
            thresholds.0[known.id as usize] = *value;
        }
        let contradiction =
            ORDERED.iter().find(|(less, more)| thresholds.number(*less) > thresholds.number(*more));
        match contradiction {
            Some((less, more)) => {
                let [less, more] = [less, more].map(|limit| THRESHOLDS[*limit as usize].name);
                Err(BadThreshold::Contradiction(less, more))
            }
            None => Ok(thresholds),
        }
    }

    pub fn number(&self, limit: ThresholdId) -> f64 {
        self.0[limit as usize]
    }

    /// Returns true when a count is above a threshold.
    pub fn exceeds(&self, limit: ThresholdId, count: usize) -> bool {
        count as f64 > self.number(limit)
    }

    /// Returns true when a count is below a threshold.
    pub fn undercuts(&self, limit: ThresholdId, count: usize) -> bool {
        (count as f64) < self.number(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::AuditOptions;
    use crate::testing::audit_with;

    fn wanted(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn every_threshold_has_a_default_in_its_range_and_a_check() {
        for threshold in THRESHOLDS {
            assert!((threshold.min..=threshold.max).contains(&threshold.default), "{}", threshold.name);
            assert!(threshold.checks().next().is_some(), "{}", threshold.name);
        }
        assert_eq!(Thresholds::with(&BTreeMap::new()), Ok(Thresholds::default()));
    }

    #[test]
    fn what_is_unknown_out_of_range_or_contradictory_is_refused() {
        for (pairs, message) in [
            (vec![("titelMax", 3.0)], "there is no threshold \"titelMax\""),
            (vec![("titleMaxCharacters", 9.0)], "titleMaxCharacters takes a number from 10 to 500"),
            (vec![("titleMaxCharacters", f64::NAN)], "titleMaxCharacters takes a number from 10 to 500"),
            (vec![("titleMaxCharacters", 29.0)], "titleMinCharacters must not be above titleMaxCharacters"),
        ] {
            assert_eq!(Thresholds::with(&wanted(&pairs)).unwrap_err().to_string(), message);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn checks_fire_by_the_numbers_of_the_audit() {
        let page = "<title>Hand-made shoes from Porto</title><p>{word *150}";
        let numbers = [("titleMaxCharacters", 20.0), ("titleMinCharacters", 5.0), ("thinWords", 100.0)];
        let ids = ["TITLE_TOO_LONG", "TITLE_TOO_SHORT", "THIN_CONTENT"];

        let usual = audit_with(page, |_| {}).await;
        let other = audit_with(page, |options: &mut AuditOptions| {
            options.thresholds = Thresholds::with(&wanted(&numbers)).unwrap();
        })
        .await;

        assert_eq!(ids.map(|id| usual.issue_breakdown.contains_key(id)), [false, true, true]);
        assert_eq!(ids.map(|id| other.issue_breakdown.contains_key(id)), [true, false, false]);
    }
}
