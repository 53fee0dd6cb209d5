//! Badge of a site's crawler visits: a small SVG picture that other pages embed. Pure.
//! Must never contain untrusted text: the picture is a document of this service's origin.

/// Numbers of a badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Badge {
    pub crawlers: u64,
    pub visits: u64,
    /// Days of the visits, today included.
    pub days: u32,
}

/// Height in pixels.
const HEIGHT: usize = 20;
/// Mean width of a character of the 11 px text, in tenths of a pixel.
const CHAR_TENTHS: usize = 61;
/// Space beside a text, in pixels.
const PADDING: usize = 8;

impl Badge {
    /// Draws the badge. Each text is fitted to its box, whatever fonts the reader has.
    pub fn svg(&self) -> String {
        let Badge { crawlers, visits, days } = *self;
        let name = format!("Read by {} {}", grouped(crawlers), plural(crawlers, "crawler", "crawlers"));
        let value = format!(
            "{} {} in {days} {}",
            grouped(visits),
            plural(visits, "visit", "visits"),
            plural(u64::from(days), "day", "days")
        );
        let [name_width, value_width] = [&name, &value].map(|text| text.len() * CHAR_TENTHS / 10);
        let split = name_width + 2 * PADDING;
        let width = split + value_width + 2 * PADDING;
        let value_at = split + PADDING;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" role=\"img\" \
             aria-label=\"{name}: {value}\"><title>{name}: {value}</title>\
             <clipPath id=\"r\"><rect width=\"{width}\" height=\"{HEIGHT}\" rx=\"4\"/></clipPath>\
             <g clip-path=\"url(#r)\"><rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"#1b1b18\"/>\
             <rect x=\"{split}\" width=\"{}\" height=\"{HEIGHT}\" fill=\"#2f5fd0\"/></g>\
             <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
             <text x=\"{PADDING}\" y=\"14\" textLength=\"{name_width}\">{name}</text>\
             <text x=\"{value_at}\" y=\"14\" textLength=\"{value_width}\">{value}</text></g></svg>",
            width - split,
        )
    }
}

fn plural(number: u64, one: &'static str, many: &'static str) -> &'static str {
    if number == 1 { one } else { many }
}

/// Writes a number with a comma before each group of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_says_its_numbers_in_words() {
        let many = Badge { crawlers: 20, visits: 1_204_866, days: 30 }.svg();
        let one = Badge { crawlers: 1, visits: 1, days: 1 }.svg();

        assert!(many.contains("<title>Read by 20 crawlers: 1,204,866 visits in 30 days</title>"), "{many}");
        assert!(one.contains("<title>Read by 1 crawler: 1 visit in 1 day</title>"), "{one}");
    }
}
