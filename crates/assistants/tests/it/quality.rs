//! Agreement of the built-in analyser with three hundred labelled answers: the part that the rules were made with and the
//! quarter that was held out, and each language.

#[path = "../../examples/support/labelled.rs"]
mod labelled;

use labelled::{Agreement, AnswerPart, LANGUAGES, LabelledAnswer};

fn assert_goals(agreement: &Agreement, of: &str) {
    let (tone, precision, recall) = (agreement.tone(), agreement.precision(), agreement.recall());
    assert!(tone >= 0.70, "{of}: tone agrees in {tone:.3} of the answers");
    assert!(precision >= 0.90, "{of}: {precision:.3} of the competitors are right");
    assert!(recall >= 0.70, "{of}: {recall:.3} of the competitors are found");
}

#[test]
fn tone_and_competitors_agree_with_careful_readers_in_every_language_and_in_the_part_held_out() {
    let mut parts = [Agreement::default(); 2];
    for language in LANGUAGES {
        let mut both = Agreement::default();
        for answer in LabelledAnswer::read_all(language) {
            let analysis = answer.analyse();
            both.add(&answer, &analysis);
            parts[usize::from(answer.part == AnswerPart::HeldOut)].add(&answer, &analysis);
        }
        assert_eq!(both.answers, if language == "en" { 100 } else { 50 });
        assert_goals(&both, language);
    }

    assert_goals(&parts[0], "tuning part");
    assert_goals(&parts[1], "held-out part");
}
