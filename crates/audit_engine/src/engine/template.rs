//! Facts that an address alone reveals: its template, and whether its pages continue without end. Used by the
//! templates of a crawl. Pure.

/// Years ahead from which a date is far.
pub(super) const FAR_YEARS: i32 = 5;
/// Keys of parameters that name a session, and of those that name a year.
const SESSION_KEYS: &[&str] =
    &["sid", "sessionid", "session_id", "phpsessid", "jsessionid", "cfid", "cftoken"];
const YEAR_KEYS: &[&str] = &["year", "yr", "y", "jahr", "annee", "ano", "anno", "rok"];

/// Decides whether a folder occurs in a path three times, as endless relative links make it.
pub(super) fn has_repeated_segment(key: &str) -> bool {
    let path = key.split('?').next().unwrap_or_default();
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    segments.iter().any(|segment| segments.iter().filter(|other| *other == segment).count() >= 3)
}

/// Decides whether a calendar is open years ahead: a date as the last segment, as the last two or three, or as a parameter. What is
/// past is an archive.
pub(super) fn has_far_date(key: &str, year: i32) -> bool {
    let (path, query) = key.split_once('?').unwrap_or((key, ""));
    let segments: Vec<&str> = path.trim_end_matches('/').rsplit('/').take(3).collect();
    let in_path = match segments[..] {
        [day, month, year_of_day] if is_part_of_date(day) && is_part_of_date(month) => {
            year_alone(year_of_day)
        }
        [month, year_of_month, ..] if is_part_of_date(month) => year_alone(year_of_month),
        _ => None,
    };
    let last = segments.first().and_then(|last| date_year(last));
    let in_query = query.split('&').filter_map(|pair| pair.split_once('=')).filter_map(|(name, value)| {
        let names_year = YEAR_KEYS.iter().any(|known| name.eq_ignore_ascii_case(known));
        date_year(value).or_else(|| year_alone(value).filter(|_| names_year))
    });
    in_query.chain(in_path).chain(last).any(|date| date - year > FAR_YEARS)
}

/// Decides whether a segment may be a month or a day.
fn is_part_of_date(segment: &str) -> bool {
    (1..=2).contains(&segment.len()) && segment.parse().is_ok_and(|number: u8| (1..=31).contains(&number))
}

/// Reads a year of four digits.
fn year_alone(text: &str) -> Option<i32> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_year)
}

/// Decides whether an address carries the id of a session: there are as many of them as visits.
pub(super) fn has_session(key: &str) -> bool {
    let (path, query) = key.split_once('?').unwrap_or((key, ""));
    let names = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, _)| name);
    let is_session = |name: &str| SESSION_KEYS.iter().any(|known| name.eq_ignore_ascii_case(known));
    path.to_ascii_lowercase().contains(";jsessionid=") || names.into_iter().any(is_session)
}

/// Reads the year of a date such as 2031-05 or 2031-05-17.
fn date_year(text: &str) -> Option<i32> {
    let (year, rest) = text.split_at_checked(4)?;
    let is_date = matches!(rest.len(), 3 | 6)
        && rest
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at % 3 == 0 { byte == b'-' } else { byte.is_ascii_digit() });
    if is_date { year.parse().ok() } else { None }
}

/// Returns the template of an address: variable parts of the path are `*`, and only the names of query parameters are kept.
pub(super) fn template(key: &str) -> String {
    let (path, query) = key.split_once('?').unwrap_or((key, ""));
    let segments: Vec<&str> = path.split('/').collect();
    let last = segments.len() - 1;
    let mut template: Vec<&str> = Vec::with_capacity(segments.len());
    for (index, segment) in segments.iter().enumerate() {
        // The last segment names the page; the folder before it says what kind of page it is.
        let is_name =
            index == last && index > 1 || index + 1 == last && segments[last].is_empty() && index > 1;
        template.push(if is_name && !segment.is_empty() || is_variable(segment) { "*" } else { segment });
    }
    let mut names: Vec<&str> =
        query.split('&').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
    names.sort_unstable();
    format!("{}?{}", template.join("/"), names.join("&"))
}

fn is_variable(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = segment.len() >= 12 && segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_slug = segment.len() > 15 && segment.matches('-').count() >= 2;
    digits > 0 && digits == segment.len() || is_hex || is_slug
}
