//! Phrases of answers in five languages. Data, and the choice of the language of a question.

/// Phrases of one language. `{b}` stands for a brand.
pub struct Phrases {
    pub intros: &'static [&'static str],
    pub praise: &'static [&'static str],
    pub plain: &'static [&'static str],
    pub criticism: &'static [&'static str],
    pub heading: &'static str,
    pub table: [&'static str; 3],
    /// Cells of the second column: for whom, by rising tone.
    pub suited: [&'static str; 3],
    pub steps_heading: &'static str,
    /// General advice that names no brand.
    pub advice: &'static [&'static str],
    pub closings: &'static [&'static str],
    /// Space after a sentence.
    pub gap: &'static str,
}

pub const ENGLISH: Phrases = Phrases {
    intros: &[
        "There is no single best choice; it depends on the size of the team, the budget and how much has to be automated.",
        "Several products cover this need well, and reviewers tend to name the same few.",
        "Recent comparisons agree on a short list, although the order differs from source to source.",
    ],
    praise: &[
        "**{b}** is often recommended for its reliable exports and its fast, friendly support.",
        "**{b}** is a leading option: easy to set up, with excellent documentation.",
        "Reviewers praise **{b}** for great performance and fair pricing.",
        "**{b}** is the top pick of many teams because it simply works well.",
    ],
    plain: &[
        "**{b}** covers the basics and is available in two plans.",
        "**{b}** is used by companies of all sizes and integrates with the common tools.",
        "With **{b}** the set-up takes about a day.",
    ],
    criticism: &[
        "**{b}** is expensive for small teams, and users complain about slow support.",
        "**{b}** has a steep learning curve and lacks some integrations.",
        "Some users find **{b}** buggy and outdated.",
    ],
    heading: "Comparison",
    table: ["Product", "Suited to", "Price per month"],
    suited: ["hardly anyone", "small teams", "growing companies"],
    steps_heading: "How to choose",
    advice: &[
        "Begin with a list of the features that you cannot do without.",
        "Ask for a trial with your own data before you sign a contract of a year.",
        "Check how data can be exported, since moving later is what costs most.",
        "Look at the release notes of the last six months: a living product changes often.",
        "Count the hours that the team spends today; they are the real price.",
        "Read the terms about data protection, above all when customers' data is involved.",
    ],
    closings: &[
        "In short, try two of them side by side before you decide.",
        "Prices change often, so check the vendors' pages.",
    ],
    gap: " ",
};

pub const GERMAN: Phrases = Phrases {
    intros: &[
        "Eine einzige beste Lösung gibt es nicht; es kommt auf Teamgröße, Budget und Grad der Automatisierung an.",
        "Mehrere Produkte decken diesen Bedarf gut ab, und in Vergleichen tauchen meist dieselben Namen auf.",
    ],
    praise: &[
        "**{b}** wird wegen zuverlässiger Exporte und schnellem, freundlichem Support oft empfohlen.",
        "**{b}** gilt als führende Lösung: einfach einzurichten und hervorragend dokumentiert.",
        "Tester loben an **{b}** die sehr gute Leistung und faire Preise.",
    ],
    plain: &[
        "**{b}** deckt die Grundlagen ab und ist in zwei Tarifen erhältlich.",
        "**{b}** wird von Unternehmen jeder Größe eingesetzt.",
    ],
    criticism: &[
        "**{b}** ist für kleine Teams teuer, und Nutzer klagen über langsamen Support.",
        "**{b}** ist umständlich zu bedienen und wirkt veraltet.",
    ],
    heading: "Vergleich",
    table: ["Produkt", "Geeignet für", "Preis im Monat"],
    suited: ["kaum jemanden", "kleine Teams", "wachsende Firmen"],
    steps_heading: "So treffen Sie die Wahl",
    advice: &[
        "Beginnen Sie mit einer Liste der Funktionen, auf die Sie nicht verzichten können.",
        "Testen Sie mit eigenen Daten, bevor Sie einen Jahresvertrag unterschreiben.",
        "Prüfen Sie, wie sich Daten ausführen lassen, denn ein späterer Umzug kostet am meisten.",
        "Lesen Sie die Bedingungen zum Datenschutz, vor allem wenn es um Daten von Kunden geht.",
        "Rechnen Sie die Stunden zusammen, die Ihr Team heute dafür aufwendet.",
    ],
    closings: &[
        "Kurz gesagt: Probieren Sie zwei davon nebeneinander aus.",
        "Preise ändern sich oft, also lohnt ein Blick auf die Seiten der Anbieter.",
    ],
    gap: " ",
};

pub const FRENCH: Phrases = Phrases {
    intros: &[
        "Il n'existe pas de meilleur choix unique : tout dépend de la taille de l'équipe et du budget.",
        "Plusieurs produits répondent bien à ce besoin, et les comparatifs citent souvent les mêmes noms.",
    ],
    praise: &[
        "**{b}** est souvent recommandé pour ses exports fiables et son support rapide.",
        "**{b}** est une solution de référence : facile à installer et très bien documentée.",
    ],
    plain: &[
        "**{b}** couvre l'essentiel et existe en deux formules.",
        "**{b}** est utilisé par des entreprises de toutes tailles.",
    ],
    criticism: &[
        "**{b}** est cher pour les petites équipes, et son support est lent.",
        "**{b}** est difficile à prendre en main et paraît dépassé.",
    ],
    heading: "Comparaison",
    table: ["Produit", "Convient à", "Prix par mois"],
    suited: ["presque personne", "petites équipes", "entreprises en croissance"],
    steps_heading: "Comment choisir",
    advice: &[
        "Lisez les conditions de protection des données, surtout si vous traitez celles de vos clients.",
        "Comptez les heures que l'équipe y consacre aujourd'hui : c'est le vrai prix.",
        "Commencez par la liste des fonctions dont vous ne pouvez pas vous passer.",
        "Demandez un essai avec vos propres données avant de signer pour un an.",
        "Vérifiez comment exporter les données, car déménager plus tard coûte cher.",
    ],
    closings: &["En bref, essayez-en deux côte à côte avant de décider."],
    gap: " ",
};

pub const SPANISH: Phrases = Phrases {
    intros: &[
        "No hay una única mejor opción: depende del tamaño del equipo y del presupuesto.",
        "Varios productos cubren bien esta necesidad y las comparativas suelen citar los mismos nombres.",
    ],
    praise: &[
        "**{b}** se recomienda a menudo por sus exportaciones fiables y su soporte rápido.",
        "**{b}** es una opción líder: fácil de instalar y con una documentación excelente.",
    ],
    plain: &[
        "**{b}** cubre lo básico y se ofrece en dos planes.",
        "**{b}** lo usan empresas de todos los tamaños.",
    ],
    criticism: &[
        "**{b}** es caro para equipos pequeños y su soporte es lento.",
        "**{b}** es difícil de aprender y parece anticuado.",
    ],
    heading: "Comparación",
    table: ["Producto", "Adecuado para", "Precio al mes"],
    suited: ["casi nadie", "equipos pequeños", "empresas en crecimiento"],
    steps_heading: "Cómo elegir",
    advice: &[
        "Lea las condiciones de protección de datos, sobre todo si trata datos de clientes.",
        "Cuente las horas que el equipo dedica hoy a esta tarea: ese es el precio real.",
        "Empiece con una lista de las funciones imprescindibles.",
        "Pida una prueba con sus propios datos antes de firmar por un año.",
        "Compruebe cómo se exportan los datos, porque mudarse después es lo más caro.",
    ],
    closings: &["En resumen, pruebe dos de ellos en paralelo antes de decidir."],
    gap: " ",
};

pub const JAPANESE: Phrases = Phrases {
    intros: &[
        "最適な選択肢は一つではなく、チームの規模や予算によって変わります。",
        "この用途に合う製品はいくつかあり、比較記事でもよく同じ名前が挙がります。",
    ],
    praise: &[
        "**{b}**は出力が安定しており、サポートも速いため、よくおすすめされています。",
        "**{b}**は導入が簡単で、ドキュメントも優れた代表的な製品です。",
    ],
    plain: &[
        "**{b}**は基本的な機能を備え、二つのプランがあります。",
        "**{b}**はさまざまな規模の企業で使われています。",
    ],
    criticism: &[
        "**{b}**は小さなチームには高価で、サポートが遅いという声があります。",
        "**{b}**は操作が難しく、古く感じられます。",
    ],
    heading: "比較",
    table: ["製品", "向いている人", "月額"],
    suited: ["ほとんどいない", "小さなチーム", "成長中の企業"],
    steps_heading: "選び方",
    advice: &[
        "まず、欠かせない機能の一覧を作りましょう。",
        "顧客のデータを扱う場合は、データ保護に関する規約をよく読みましょう。",
        "今チームが使っている時間を数えてみると、本当の費用が分かります。",
        "年間契約の前に、自分のデータで試しましょう。",
        "あとから移行すると費用がかかるため、データの出力方法を確認しましょう。",
    ],
    closings: &["まとめると、二つを並べて試してから決めるのがよいでしょう。"],
    gap: "",
};

/// Chooses the language of an answer by letters and common words of the question.
pub fn language_of(question: &str) -> &'static Phrases {
    let is_japanese = |letter: char| matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}');
    if question.chars().any(is_japanese) {
        return &JAPANESE;
    }
    let words: Vec<String> = question
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let has = |marks: &[&str]| words.iter().filter(|word| marks.contains(&word.as_str())).count();
    let counts = [
        (
            has(&[
                "was", "welche", "welches", "welcher", "ist", "die", "der", "das", "für", "und", "beste",
                "wie",
            ]),
            &GERMAN,
        ),
        (
            has(&[
                "quel",
                "quelle",
                "quels",
                "est",
                "le",
                "la",
                "les",
                "pour",
                "meilleur",
                "meilleurs",
                "des",
                "une",
            ]),
            &FRENCH,
        ),
        (
            has(&["cuál", "cual", "qué", "es", "el", "los", "para", "mejor", "mejores", "una", "las", "del"]),
            &SPANISH,
        ),
    ];
    let best = counts.into_iter().max_by_key(|(count, _)| *count);
    best.filter(|(count, _)| *count > 0).map_or(&ENGLISH, |(_, phrases)| phrases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_in_its_language() {
        let heading = |question| language_of(question).heading;

        assert_eq!(heading("What is the best tool for teams?"), ENGLISH.heading);
        assert_eq!(heading("Was ist das beste Werkzeug für Teams?"), GERMAN.heading);
        assert_eq!(heading("Quel est le meilleur outil pour une équipe ?"), FRENCH.heading);
        assert_eq!(heading("¿Cuál es la mejor herramienta para equipos?"), SPANISH.heading);
        assert_eq!(heading("チーム向けの最適なツールは?"), JAPANESE.heading);
    }

    #[test]
    fn every_phrase_about_a_brand_names_it_in_bold() {
        for phrases in [ENGLISH, GERMAN, FRENCH, SPANISH, JAPANESE] {
            for phrase in phrases.praise.iter().chain(phrases.plain).chain(phrases.criticism) {
                assert!(phrase.contains("**{b}**"), "{phrase}");
            }
        }
    }
}
