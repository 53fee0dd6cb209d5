//! Statements about people who came from assistants, and what their rows say. Pure.

use super::client::quoted;
use super::rows::{REFERRAL, Reader};
use super::windows::of_window;
use crate::analytics::model::Day;
use crate::analytics::referrals::{ReferralCount, ReferralRows, ReferralTotals};
use crate::analytics::stores::VisitError;
use crate::domains::DomainId;

/// Writes the statement of a list by assistant and page.
pub fn list(domain: &DomainId, window: (Day, Day), rows: ReferralRows<'_>) -> String {
    let (part, order) = match rows {
        ReferralRows::Top(most) => {
            (String::new(), format!("order by sum(visits) desc, path, crawler limit {most}"))
        }
        ReferralRows::OfPages([]) => ("and false".to_owned(), String::new()),
        ReferralRows::OfPages(paths) => {
            let paths: Vec<String> = paths.iter().map(|path| quoted(path)).collect();
            (format!("and path in ({})", paths.join(", ")), String::new())
        }
    };
    let window = of_window(domain, REFERRAL, window);
    format!(
        "select crawler, path, sum(visits) from visits where {window} {part} group by crawler, path {order}"
    )
}

/// Reads a row of that list.
pub fn read(row: &mut Reader<'_>) -> Result<ReferralCount, VisitError> {
    let (assistant, path) = (row.text()?.to_owned(), row.text()?.to_owned());
    Ok(ReferralCount { assistant, path, count: row.u64()? })
}

/// Writes the statement of the sums of the whole list.
pub fn totals(domain: &DomainId, window: (Day, Day)) -> String {
    let window = of_window(domain, REFERRAL, window);
    format!("select sum(visits), uniqExact(crawler, path) from visits where {window}")
}

/// Reads those sums.
pub fn read_totals(row: &mut Reader<'_>) -> Result<ReferralTotals, VisitError> {
    Ok(ReferralTotals { people: row.u64()?, rows: row.u64()? })
}
