//! Chains of errors and their causes: searched for one cause, or printed in one line. Used by every crate above.

use std::error::Error;

/// Returns an error and its causes, outermost first.
pub fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Formats an error and its causes in one line, without causes that their effect already names.
pub fn one_line(error: &(dyn Error + 'static)) -> String {
    let mut line = String::new();
    for cause in causes(error) {
        let text = cause.to_string().replace('\n', " ");
        if line.contains(&text) {
            continue;
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    fn layers(texts: &[&'static str]) -> Layer {
        let source = (texts.len() > 1).then(|| Box::new(layers(&texts[1..])));
        Layer { text: texts[0], source }
    }

    #[test]
    fn an_error_is_told_with_its_causes_in_one_line() {
        let error = layers(&["no page", "could not connect", "refused\nby the server"]);

        assert_eq!(one_line(&error), "no page: could not connect: refused by the server");
        assert_eq!(causes(&error).count(), 3);
    }

    #[test]
    fn a_cause_that_its_effect_names_is_told_once() {
        let error = layers(&["could not connect: refused", "refused", "port 80 is closed"]);

        assert_eq!(one_line(&error), "could not connect: refused: port 80 is closed");
    }
}
