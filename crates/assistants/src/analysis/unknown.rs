//! Answers that name the own brand only to say that nothing is known of it. Used by both stages: such an answer is not a mention.
//! Pure. A sentence counts only when the lack of knowledge is about the brand itself, not about its prices or its rivals.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::matcher::{BrandIndex, Hit};
use super::prose::Prose;
use super::tone::{FoldedText, sentences};

/// Position of the own brand among the brands of a profile.
pub const OWN: BrandIndex = 0;
/// Bytes of a sentence above which it says more than that nothing is known.
const MAX_SENTENCE_BYTES: usize = 1_000;
/// Maximum number of characters of the sentence that is told.
const MAX_QUOTE_CHARS: usize = 200;

/// Words between a verb and the brand: "familiar with *a company called* X".
const FILL: &str = r#"(?:(?:(?:[\w'-]+ ){0,4}(?:called|named|as)|about|of|on|with|for|any|an?|the|this|that|or|and|either|specific|particular|what|who|whether|brand|company|product|tool|service|site|website|shop|store|app|software|platform|business|provider|firm|organi[sz]ation|startup|name|term|@other@)[ ,:"'“”(]+){0,8}["'“(]*"#;
const ADVERB: &str = r"(?:(?:very|too|all that|personally|really|particularly|specifically|currently|previously|actually|directly|yet|ever|been|have|had|able to|to|a|any|myself) ){0,3}";
const NOT: &str = r"(?:not|n't|never|cannot|unable to|nor)";
/// Nouns for knowledge, with the adjectives that stand before them.
const NOTHING: &str = r"(?:\b(?:no|without|lack|lacks|zero)|(?:not|n't|cannot|unable to|never) (?:currently |seem to |able to |to )?(?:have|find|found|locate|see|provide|return|contain|include|offer|turn up|come across|possess|access)(?: access to)?)(?: (?:any|an?|enough|much|sufficient|specific|reliable|detailed|verified|verifiable|concrete|current|up-to-date|real|meaningful|useful|relevant|clear|credible|public|publicly|available|solid|further|first-hand|direct|prior|recorded|independent)){0,4},? (?:or [\w-]+ )?(?:information|info|details?|data|knowledge|records?|mentions?|references?|results?|sources?|evidence|anything|familiarity|coverage|listings?|trace)\b";

/// Ways in which a sentence says that the brand, `@own@`, is not known; folded, other brands are `@other@`.
static SAYS_UNKNOWN: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let knows = r"(?:familiar|acquainted|aware|heard?|know|known|recogni[sz]ed?)";
    let after = r#"["'”)]*(?:[ ,]+(?:is|are|was|refers to|at all|before|yet|specifically|myself|either|in (?:my|the) [\w ]{1,40}|as an? [\w ]{1,40}|or @other@))*\s*(?:$|[.,;:!?()—-]| (?:but|so|and|which|that|because|as|to|from|in|with|available|beyond|since|yet|well|enough))"#;
    [
        // I'm not familiar with X. I have never heard of X. I don't know X.
        format!(r"{NOT} {ADVERB}{knows} {FILL}@own@{after}"),
        format!(r"\bunfamiliar with {FILL}@own@{after}"),
        // I have no information about X. I could not find any reliable details on X.
        format!(r"{NOTHING}(?: available)? (?:about|on|regarding|concerning|for|of|to|with) {FILL}@own@{after}"),
        // X is not a tool that I know. X is unknown to me. As for X, I have no information.
        format!(r"@own@.{{0,80}}{NOT} {ADVERB}(?:{knows}|an? [\w ]{{1,30}}|one|something|anything)[^.@]{{0,40}}\b{knows}(?: (?:it|them|with|of))?\W*$"),
        format!(r"@own@.{{0,80}}{NOT} {ADVERB}{knows}(?: (?:with|of|about))?(?: (?:it|them|this|that)(?: \w+)?)?\W*$"),
        format!(r"@own@.{{0,80}}{NOTHING}(?: available)?(?: (?:about|on|regarding|for|of) (?:it|them|this|that)(?: \w+)?)?(?: available)?\W*$"),
        r"@own@ (?:is|are|seems|remains) (?:completely |entirely )?(?:unknown|unfamiliar) to me".to_owned(),
        format!(r"@own@.{{0,40}}(?:{NOT} (?:appear|show up|come up|ring a bell|mentioned|listed|covered|included|documented)|absent)(?: (?:anywhere )?(?:in|among) (?:my|the|any|these|those)[^@]{{0,60}})?\W*$"),
        format!(r"(?:sources|results|search|training data|documents|pages) [^@]{{0,40}}{NOT} (?:mention|contain|include|cover|list|name|reference|say anything about|return anything (?:about|on|for)) {FILL}@own@{after}"),
        // German, French, Spanish, Portuguese, Italian, Dutch, Japanese.
        r"\bkenne (?:ich )?(?:\w+ ){0,3}@own@ (?:leider |bisher |selbst )?nicht|@own@ (?:kenne ich|ist mir|sagt mir) (?:leider |bisher )?(?:nicht|nichts|kein|unbekannt)|nicht (?:mit )?(?:\w+ ){0,3}@own@ vertraut|mit (?:\w+ ){0,3}@own@ (?:leider )?nicht vertraut".to_owned(),
        r"keine(?:rlei)? (?:\w+ ){0,3}(?:informationen|angaben|daten|hinweise|erkenntnisse|treffer)(?: \w+){0,2} (?:zu|uber|von|fur) (?:\w+ ){0,4}@own@|(?:zu|uber) (?:\w+ ){0,4}@own@ .{0,40}keine(?:rlei)? (?:\w+ ){0,3}(?:informationen|angaben|daten)".to_owned(),
        r"\bne (?:connais|dispose|trouve) (?:pas|d'aucune)[^@]{0,60}@own@|n'ai (?:pas|aucune?|trouve aucune?)[^@]{0,20}(?:informations?|connaissances?|donnees?|entendu parler|connaissance)[^@]{0,40}@own@|aucune (?:information|donnee|trace)[^@]{0,30}(?:sur|de|concernant) [^@]{0,40}@own@|@own@ .{0,20}(?:m'est inconnu|ne m'est pas familier)".to_owned(),
        r"\bno (?:conozco|tengo|dispongo|encontre|encuentro|hay|estoy familiarizad[oa] con)(?: (?:de|a|la|el|una?|ninguna?|suficiente|mas|informacion|datos|detalles|constancia|conocimiento|marca|empresa|herramienta|producto|llamad[oa]|sobre|acerca|ningun|registros?|del?))* @own@".to_owned(),
        r"\bnao (?:conheco|tenho|disponho|encontrei|ha|estou familiarizad[oa] com)(?: (?:de|a|o|uma?|nenhuma?|suficientes?|mais|informacoes|informacao|dados|detalhes|conhecimento|marca|empresa|ferramenta|produto|chamad[oa]|sobre|acerca|nenhum|registros?|da|do))* @own@".to_owned(),
        r"\bnon (?:conosco|ho|dispongo|trovo|ci sono|risultano|mi risulta)(?: (?:di|la|il|un|una?|nessuna?|sufficienti|trovato|informazioni|informazione|dati|dettagli|conoscenza|marca|azienda|strumento|prodotto|chiamat[oa]|su|riguardo a|del|sul|sulla|mai sentito parlare))* @own@".to_owned(),
        r"\bken (?:ik )?(?:\w+ ){0,3}@own@ (?:helaas )?niet|@own@ (?:ken ik|is mij) (?:helaas )?(?:niet|onbekend)|geen (?:\w+ ){0,2}(?:informatie|gegevens) (?:over|van|gevonden over) (?:\w+ ){0,4}@own@|niet bekend met (?:\w+ ){0,4}@own@".to_owned(),
        r"@own@[^。]{0,30}(?:知りません|存じません|存じ上げません|情報(?:が|は)?(?:ありません|見つかりません|ございません|持って(?:い|お)りません|持っていません)|わかりません|分かりません)".to_owned(),
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("the patterns are fixed, and a test compiles them"))
    .collect()
});

/// Requests for facts about the brand, which a sentence makes after another one has said that nothing is known.
static ASKS_FOR_FACTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:could|can|if|please|would|feel free|let me know|happy to)\b[^@]{0,60}\b(?:tell|provide|share|give|clarify|describe|know|more|details|context|help|link|check|double-check|confirm|verify)\b")
        .expect("the pattern is fixed, and a test compiles it")
});

/// Returns the first sentence that says that the own brand is not known. None when a sentence names the brand otherwise, or none
/// names it.
pub fn unknown_sentence(prose: &Prose, hits: &[Hit]) -> Option<String> {
    if hits.iter().all(|hit| hit.brand != OWN) {
        return None;
    }
    let folded = FoldedText::of(&prose.text);
    let mut first = None;
    for block in &prose.blocks {
        for range in sentences(&folded.text, folded.range(block.range.clone())) {
            let original = folded.original(range.clone());
            let after = |byte: usize| hits.partition_point(|hit| hit.range.start < byte);
            let within = &hits[after(original.start)..after(original.end)];
            if within.iter().all(|hit| hit.brand != OWN) {
                continue;
            }
            if range.len() > MAX_SENTENCE_BYTES {
                return None;
            }
            let masked = masked(&folded, range, within);
            let says = SAYS_UNKNOWN.iter().any(|pattern| pattern.is_match(&masked));
            if !says && (first.is_none() || !ASKS_FOR_FACTS.is_match(&masked)) {
                return None;
            }
            first.get_or_insert(original);
        }
    }
    let line = prose.text[first?].split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(MAX_QUOTE_CHARS).collect())
}

/// Writes a folded sentence with marks in place of its brands; `X's prices` is about the prices and gets a mark of its own.
fn masked(folded: &FoldedText, sentence: Range<usize>, hits: &[Hit]) -> String {
    let mut text = String::new();
    let mut at = sentence.start;
    for hit in hits {
        let range = folded.range(hit.range.clone());
        text.push_str(&folded.text[at.min(range.start)..range.start]);
        at = range.end.clamp(at, sentence.end);
        let is_owner = folded.text[at..sentence.end].starts_with("'s ");
        text.push_str(match (hit.brand, is_owner) {
            (OWN, false) => "@own@",
            (OWN, true) => "@owns@",
            _ => "@other@",
        });
    }
    text.push_str(&folded.text[at..sentence.end]);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::analysis::brand::{BrandProfile, Brands, CompetitorProfile, CompetitorStatus};
    use crate::analysis::matcher::{ProseReading, longest};
    use crate::analysis::prose;
    use crate::analysis::{AnswerInput, SecondStage, complete, facts};
    use crate::providers::Provider;

    fn unknown(text: &str) -> Option<String> {
        let own = BrandProfile { name: "LumaDocs".into(), ..BrandProfile::default() };
        let other = CompetitorProfile {
            name: "Notchly".into(),
            aliases: vec![],
            domains: vec![],
            status: CompetitorStatus::Tracked,
        };
        let brands = Brands::compile(own, vec![other]);
        let prose = prose::read(text);
        unknown_sentence(&prose, &longest(brands.matcher().hits(&ProseReading::of(&prose))))
    }

    #[test]
    fn sentences_that_say_that_nothing_is_known_are_recognised() {
        for text in [
            "I'm not familiar with LumaDocs.",
            "I am not familiar with a documentation tool called **LumaDocs**.",
            "I'm not personally familiar with \"LumaDocs\", so I can't compare it.",
            "I have never heard of LumaDocs.",
            "I haven't heard of a company named LumaDocs.",
            "I'm not aware of any product named LumaDocs.",
            "I don't know LumaDocs.",
            "Sorry, I do not know what LumaDocs is.",
            "I don’t recognize LumaDocs as a documentation tool.",
            "I don't have any specific information about LumaDocs.",
            "I do not have reliable information on LumaDocs in my training data.",
            "I couldn't find any information about LumaDocs.",
            "I was unable to find reliable details on LumaDocs.",
            "There is no information available about LumaDocs.",
            "I have no knowledge of LumaDocs.",
            "The search results do not mention LumaDocs.",
            "LumaDocs is not a tool I'm familiar with.",
            "LumaDocs isn't something I know.",
            "As for LumaDocs, I have no information.",
            "As for LumaDocs, I don't have any details about it.",
            "LumaDocs does not appear in the search results.",
            "LumaDocs is unknown to me.",
            "I'm unfamiliar with LumaDocs.",
            "I'm not familiar with Notchly or LumaDocs.",
            "I'm not familiar with LumaDocs. Could you share more details about LumaDocs?",
            "I found nothing else. I could not find any mention of LumaDocs.\n\n- Notchly is a good choice.",
            "Ich kenne LumaDocs nicht.",
            "Zu LumaDocs liegen mir leider keine Informationen vor.",
            "Ich habe keine Informationen über LumaDocs.",
            "Je ne connais pas LumaDocs.",
            "Je n'ai pas d'informations sur LumaDocs.",
            "No tengo información sobre LumaDocs.",
            "Não conheço a LumaDocs.",
            "Non ho informazioni su LumaDocs.",
            "Ik ken LumaDocs niet.",
            "LumaDocsについては情報がありません。",
        ] {
            assert!(unknown(text).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_that_say_anything_of_the_brand_are_mentions() {
        for text in [
            "LumaDocs is a documentation tool.",
            "I don't know a better tool than LumaDocs.",
            "I'm not aware of any problems with LumaDocs.",
            "I'm not familiar with any alternatives to LumaDocs.",
            "I couldn't find anything cheaper than LumaDocs.",
            "I have no information about LumaDocs's prices.",
            "LumaDocs: I could not find any information about its prices.",
            "There is no information about the pricing of LumaDocs.",
            "I would not hesitate: I know LumaDocs well.",
            "LumaDocs is not as well known as Notchly.",
            "LumaDocs is not known for its speed.",
            "LumaDocs has no free plan.",
            "LumaDocs has no data limits.",
            "I'm not familiar with LumaDocs. However, LumaDocs is often praised.",
            "I'm not familiar with Notchly, but LumaDocs is good.",
            "I don't know Notchly. LumaDocs I know.",
            "You could share details with LumaDocs.",
            "Nothing is known of Notchly.",
        ] {
            assert_eq!(unknown(text), None, "{text}");
        }
    }

    #[test]
    fn an_answer_that_does_not_know_the_brand_is_no_mention() {
        let own = BrandProfile { name: "LumaDocs".into(), ..BrandProfile::default() };
        let brands = Brands::compile(own, vec![]);
        let input = AnswerInput {
            question: "Is LumaDocs good?",
            text: "I'm not familiar with LumaDocs. Tell me more, and I can help.",
            citations: &[],
            retrieved: &[],
            provider: Provider::Chatgpt,
        };
        let stage = SecondStage { reply: None, seen_before: &HashSet::new() };

        let (first, second) = (facts(&input, &brands), complete(&input, &brands, stage));

        assert_eq!((first.mentioned, first.position, first.spans.len()), (false, 0, 0));
        assert_eq!((second.facts.position, second.sentiment, second.quote), (0, 0.0, None));
        assert!(second.text.contains("I'm not familiar with LumaDocs."), "{}", second.text);
    }

    #[test]
    fn the_sentence_is_quoted_as_it_stands() {
        let text = "Good question! I'm not familiar with **LumaDocs**, sorry.\n\n1. Notchly";

        assert_eq!(unknown(text).as_deref(), Some("I'm not familiar with LumaDocs, sorry."));
    }
}
