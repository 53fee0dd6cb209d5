//! Intent of a search term or question, by its words. Pure. A guess that the user may change.

use crate::model::PromptIntent;

/// Words of somebody who wants to buy or begin.
const TRANSACTIONAL: &[&str] = &[
    "buy",
    "order",
    "price",
    "prices",
    "pricing",
    "cost",
    "costs",
    "cheap",
    "cheapest",
    "coupon",
    "discount",
    "deal",
    "deals",
    "download",
    "subscribe",
    "trial",
    "kaufen",
    "bestellen",
    "preis",
    "preise",
    "kosten",
    "günstig",
    "rabatt",
    "acheter",
    "commander",
    "prix",
    "tarif",
    "tarifs",
    "comprar",
    "precio",
    "precios",
    "barato",
    "comprare",
    "prezzo",
    "prezzi",
    "kopen",
    "prijs",
    "prijzen",
    "preço",
    "preços",
    "価格",
    "料金",
    "購入",
];

/// Words of somebody who compares.
const COMMERCIAL: &[&str] = &[
    "best",
    "top",
    "vs",
    "versus",
    "compare",
    "compared",
    "comparison",
    "review",
    "reviews",
    "alternative",
    "alternatives",
    "better",
    "recommended",
    "beste",
    "besten",
    "bester",
    "vergleich",
    "test",
    "testsieger",
    "alternativen",
    "empfehlung",
    "meilleur",
    "meilleure",
    "meilleurs",
    "meilleures",
    "comparatif",
    "avis",
    "mejor",
    "mejores",
    "comparativa",
    "opiniones",
    "alternativas",
    "migliore",
    "migliori",
    "confronto",
    "recensioni",
    "melhor",
    "melhores",
    "vergelijken",
    "おすすめ",
    "比較",
    "ランキング",
];

/// Guesses the intent of a text: buying before comparing before learning.
pub fn intent_of(text: &str) -> PromptIntent {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    // Japanese has no spaces between words.
    let has = |list: &[&str]| {
        list.iter().any(|known| words.contains(known) || !known.is_ascii() && text.contains(known))
    };
    if has(TRANSACTIONAL) {
        PromptIntent::Trans
    } else if has(COMMERCIAL) {
        PromptIntent::Comm
    } else {
        PromptIntent::Info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_the_intent() {
        for (text, intent) in [
            ("buy knowledge base with sso", PromptIntent::Trans),
            ("Notchly pricing", PromptIntent::Trans),
            ("best price for crm", PromptIntent::Trans),
            ("best documentation tool", PromptIntent::Comm),
            ("Notchly vs. PaperTrail", PromptIntent::Comm),
            ("Wissensdatenbank im Vergleich", PromptIntent::Comm),
            ("おすすめのドキュメントツール", PromptIntent::Comm),
            ("how to import pages", PromptIntent::Info),
            ("bestiary of the middle ages", PromptIntent::Info),
            ("", PromptIntent::Info),
        ] {
            assert_eq!(intent_of(text), intent, "{text}");
        }
    }
}
