//! The table of thresholds: meaning, default and range of each.

/// A number that checks ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThresholdId {
    TtfbSlowMs,
    TtfbVerySlowMs,
    HtmlLargeBytes,
    TitleMaxCharacters,
    TitleMinCharacters,
    TitleMaxPixels,
    DescriptionMaxCharacters,
    DescriptionMinCharacters,
    H1MaxCharacters,
    SubheadingWords,
    ThinWords,
    ThinCjkCharacters,
    EmptyWords,
    TextRatioPercent,
    NearDuplicatePercent,
    ReadabilityDifficult,
    ReadabilityVeryDifficult,
    UrlMaxCharacters,
    UrlMaxParameters,
    UrlMaxSegments,
    InternalLinksMax,
    ExternalLinksMax,
    CrawlDepthMax,
    ImageMaxBytes,
    InlineImageMaxCharacters,
    ImageAltMaxCharacters,
    DomMaxElements,
    DomMaxDepth,
    StateMaxBytes,
    PreviewMinWidth,
    PreviewMinHeight,
    PreviewMaxBytes,
    RenderSlowMs,
    AiPageMaxBytes,
    CertificateDays,
}

/// A threshold of checks, with its range.
pub struct Threshold {
    /// The number.
    pub limit: ThresholdId,
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
    /// Ids of the checks that ask for it.
    pub checks: &'static [&'static str],
}

type ThresholdLine = (ThresholdId, &'static str, [f64; 3], &'static [&'static str], &'static str);

const fn line((limit, name, [min, default, max], checks, about): ThresholdLine) -> Threshold {
    Threshold { limit, name, about, default, min, max, checks }
}

/// Every number, in the order of [`ThresholdId`]: least, usual and most, the checks, the meaning.
pub static THRESHOLDS: &[Threshold] = &[
    line((
        ThresholdId::TtfbSlowMs,
        "ttfbSlowMs",
        [50.0, 800.0, 60_000.0],
        &["TTFB_SLOW"],
        "Milliseconds to the first byte above which a server is slow",
    )),
    line((
        ThresholdId::TtfbVerySlowMs,
        "ttfbVerySlowMs",
        [50.0, 1800.0, 60_000.0],
        &["TTFB_SLOW", "TTFB_VERY_SLOW"],
        "Milliseconds to the first byte above which a server is very slow",
    )),
    line((
        ThresholdId::HtmlLargeBytes,
        "htmlLargeBytes",
        [1024.0, 204_800.0, 2_097_152.0],
        &["HTML_LARGE"],
        "Bytes above which a document is large",
    )),
    line((
        ThresholdId::TitleMaxCharacters,
        "titleMaxCharacters",
        [10.0, 60.0, 500.0],
        &["TITLE_TOO_LONG", "TITLE_TOO_WIDE"],
        "Characters above which a title is too long",
    )),
    line((
        ThresholdId::TitleMinCharacters,
        "titleMinCharacters",
        [0.0, 30.0, 100.0],
        &["TITLE_TOO_SHORT"],
        "Characters below which a title is too short; half of it for Chinese and Japanese",
    )),
    line((
        ThresholdId::TitleMaxPixels,
        "titleMaxPixels",
        [100.0, 561.0, 5000.0],
        &["TITLE_TOO_WIDE"],
        "Pixels above which a title is too wide",
    )),
    line((
        ThresholdId::DescriptionMaxCharacters,
        "descriptionMaxCharacters",
        [50.0, 160.0, 1000.0],
        &["META_DESC_TOO_LONG"],
        "Characters above which a description is too long",
    )),
    line((
        ThresholdId::DescriptionMinCharacters,
        "descriptionMinCharacters",
        [0.0, 70.0, 300.0],
        &["META_DESC_TOO_SHORT"],
        "Characters below which a description is too short; half of it for Chinese and Japanese",
    )),
    line((
        ThresholdId::H1MaxCharacters,
        "h1MaxCharacters",
        [10.0, 70.0, 500.0],
        &["H1_TOO_LONG"],
        "Characters above which a first heading is too long",
    )),
    line((
        ThresholdId::SubheadingWords,
        "subheadingWords",
        [50.0, 300.0, 10_000.0],
        &["H2_MISSING"],
        "Words from which a text needs subheadings",
    )),
    line((
        ThresholdId::ThinWords,
        "thinWords",
        [1.0, 200.0, 5000.0],
        &["THIN_CONTENT", "IFRAME_MAIN_CONTENT"],
        "Words below which a page is thin",
    )),
    line((
        ThresholdId::ThinCjkCharacters,
        "thinCjkCharacters",
        [1.0, 400.0, 10_000.0],
        &["THIN_CONTENT"],
        "Chinese and Japanese characters below which a page is thin",
    )),
    line((
        ThresholdId::EmptyWords,
        "emptyWords",
        [1.0, 20.0, 500.0],
        &["CONTENT_EMPTY", "LOW_TEXT_RATIO"],
        "Words below which a page is empty",
    )),
    line((
        ThresholdId::TextRatioPercent,
        "textRatioPercent",
        [0.0, 10.0, 90.0],
        &["LOW_TEXT_RATIO"],
        "Hundredths of a document below which its text is little",
    )),
    line((
        ThresholdId::NearDuplicatePercent,
        "nearDuplicatePercent",
        [80.0, 88.0, 100.0],
        &["NEAR_DUPLICATE_CONTENT"],
        "Estimated likeness, in hundredths, from which two texts are nearly one",
    )),
    line((
        ThresholdId::ReadabilityDifficult,
        "readabilityDifficult",
        [0.0, 50.0, 100.0],
        &["READABILITY_DIFFICULT"],
        "Reading ease below which a text is difficult",
    )),
    line((
        ThresholdId::ReadabilityVeryDifficult,
        "readabilityVeryDifficult",
        [0.0, 30.0, 100.0],
        &["READABILITY_DIFFICULT", "READABILITY_VERY_DIFFICULT"],
        "Reading ease below which a text is very difficult",
    )),
    line((
        ThresholdId::UrlMaxCharacters,
        "urlMaxCharacters",
        [30.0, 115.0, 4000.0],
        &["URL_TOO_LONG"],
        "Characters above which an address is too long",
    )),
    line((
        ThresholdId::UrlMaxParameters,
        "urlMaxParameters",
        [0.0, 3.0, 100.0],
        &["URL_PARAMS_TOO_MANY"],
        "Parameters above which an address has too many",
    )),
    line((
        ThresholdId::UrlMaxSegments,
        "urlMaxSegments",
        [1.0, 6.0, 100.0],
        &["URL_TOO_DEEP"],
        "Segments above which a path is too deep",
    )),
    line((
        ThresholdId::InternalLinksMax,
        "internalLinksMax",
        [10.0, 1000.0, 100_000.0],
        &["LINKS_TOO_MANY"],
        "Links to the site above which a page has too many",
    )),
    line((
        ThresholdId::ExternalLinksMax,
        "externalLinksMax",
        [1.0, 100.0, 100_000.0],
        &["EXTERNAL_LINKS_TOO_MANY"],
        "Links to other sites above which a page has too many",
    )),
    line((
        ThresholdId::CrawlDepthMax,
        "crawlDepthMax",
        [1.0, 4.0, 100.0],
        &["CRAWL_DEPTH_HIGH"],
        "Clicks from the start above which a page is far away",
    )),
    line((
        ThresholdId::ImageMaxBytes,
        "imageMaxBytes",
        [1024.0, 102_400.0, 10_485_760.0],
        &["IMG_TOO_LARGE"],
        "Bytes above which a picture is too heavy",
    )),
    line((
        ThresholdId::InlineImageMaxCharacters,
        "inlineImageMaxCharacters",
        [100.0, 10_240.0, 2_097_152.0],
        &["IMG_INLINE_BASE64_LARGE"],
        "Characters above which a picture inside the document is too large",
    )),
    line((
        ThresholdId::ImageAltMaxCharacters,
        "imageAltMaxCharacters",
        [10.0, 100.0, 1000.0],
        &["IMG_ALT_TOO_LONG"],
        "Characters above which a picture's text is too long",
    )),
    line((
        ThresholdId::DomMaxElements,
        "domMaxElements",
        [100.0, 1500.0, 100_000.0],
        &["DOM_TOO_LARGE"],
        "Elements above which a document has too many",
    )),
    line((
        ThresholdId::DomMaxDepth,
        "domMaxDepth",
        [5.0, 32.0, 500.0],
        &["DOM_TOO_DEEP"],
        "Levels above which elements are nested too deep",
    )),
    line((
        ThresholdId::StateMaxBytes,
        "stateMaxBytes",
        [20_480.0, 131_072.0, 2_097_152.0],
        &["STATE_BLOB_LARGE"],
        "Bytes above which an application's state in the document is large",
    )),
    line((
        ThresholdId::PreviewMinWidth,
        "previewMinWidth",
        [1.0, 600.0, 10_000.0],
        &["OG_IMAGE_TOO_SMALL"],
        "Pixels below which a preview picture is too narrow",
    )),
    line((
        ThresholdId::PreviewMinHeight,
        "previewMinHeight",
        [1.0, 315.0, 10_000.0],
        &["OG_IMAGE_TOO_SMALL"],
        "Pixels below which a preview picture is too low",
    )),
    line((
        ThresholdId::PreviewMaxBytes,
        "previewMaxBytes",
        [10_240.0, 8_388_608.0, 104_857_600.0],
        &["OG_IMAGE_TOO_HEAVY"],
        "Bytes above which a preview picture is too heavy",
    )),
    line((
        ThresholdId::RenderSlowMs,
        "renderSlowMs",
        [100.0, 5000.0, 120_000.0],
        &["JS_RENDER_SLOW"],
        "Milliseconds in the browser above which a page is slow",
    )),
    line((
        ThresholdId::AiPageMaxBytes,
        "aiPageMaxBytes",
        [10_000.0, 400_000.0, 2_097_152.0],
        &["AI_TOKEN_HEAVY"],
        "Bytes above which a document with little text is heavy for assistants",
    )),
    line((
        ThresholdId::CertificateDays,
        "certificateDays",
        [1.0, 21.0, 365.0],
        &["TLS_CERT_EXPIRING"],
        "Days before its end from which a certificate is old",
    )),
];
