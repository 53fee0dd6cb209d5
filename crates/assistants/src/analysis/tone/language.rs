//! Language of an answer, as far as there are word lists for it. Used by the tone analyser.

use serde::{Deserialize, Serialize};
use whatlang::{Detector, Lang};

/// Characters of an answer by which its language is told.
const SAMPLE_CHARS: usize = 600;

/// A language with word lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToneLanguage {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Japanese,
}

impl ToneLanguage {
    pub const ALL: [ToneLanguage; 8] = [
        ToneLanguage::English,
        ToneLanguage::German,
        ToneLanguage::French,
        ToneLanguage::Spanish,
        ToneLanguage::Portuguese,
        ToneLanguage::Italian,
        ToneLanguage::Dutch,
        ToneLanguage::Japanese,
    ];

    /// Tells the language of a text. None for a language without word lists.
    ///
    /// A short text may be taken for a language that it only resembles: then the most likely one of those with lists counts.
    pub fn of(text: &str) -> Option<ToneLanguage> {
        let sample: String = text.chars().take(SAMPLE_CHARS).collect();
        let any = whatlang::detect(&sample)?;
        if let Some(language) = ToneLanguage::from_lang(any.lang()) {
            return Some(language);
        }
        if any.is_reliable() || !matches!(any.script(), whatlang::Script::Latin) {
            return None;
        }
        let known = ToneLanguage::ALL.map(ToneLanguage::lang).to_vec();
        ToneLanguage::from_lang(Detector::with_allowlist(known).detect(&sample)?.lang())
    }

    fn from_lang(lang: Lang) -> Option<ToneLanguage> {
        ToneLanguage::ALL.into_iter().find(|language| language.lang() == lang)
    }

    fn lang(self) -> Lang {
        match self {
            ToneLanguage::English => Lang::Eng,
            ToneLanguage::German => Lang::Deu,
            ToneLanguage::French => Lang::Fra,
            ToneLanguage::Spanish => Lang::Spa,
            ToneLanguage::Portuguese => Lang::Por,
            ToneLanguage::Italian => Lang::Ita,
            ToneLanguage::Dutch => Lang::Nld,
            ToneLanguage::Japanese => Lang::Jpn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_with_lists_are_told_apart() {
        let texts = [
            ("The editor is easy to use and the support is quick.", ToneLanguage::English),
            ("Der Editor ist einfach zu bedienen und der Support ist schnell.", ToneLanguage::German),
            ("L'éditeur est facile à utiliser et le service est rapide.", ToneLanguage::French),
            ("El editor es fácil de usar y el soporte es rápido.", ToneLanguage::Spanish),
            ("O editor é fácil de usar e o suporte responde muito rápido.", ToneLanguage::Portuguese),
            ("L'editor è facile da usare e il supporto è veloce.", ToneLanguage::Italian),
            ("De editor is makkelijk te gebruiken en de ondersteuning is snel.", ToneLanguage::Dutch),
            ("エディターは使いやすく、サポートも迅速です。", ToneLanguage::Japanese),
        ];

        for (text, language) in texts {
            assert_eq!(ToneLanguage::of(text), Some(language), "{text}");
        }
    }

    #[test]
    fn other_languages_have_no_lists() {
        for text in [
            "Редактор прост в использовании, а поддержка отвечает быстро.",
            "이 편집기는 사용하기 쉽고 지원도 빠릅니다.",
            "",
        ] {
            assert_eq!(ToneLanguage::of(text), None, "{text}");
        }
    }
}
