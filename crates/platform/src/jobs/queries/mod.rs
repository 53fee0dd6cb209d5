//! SQL of jobs, batches, shares, workers, lanes and schedules. The only place that knows these tables.
//! Statements about lists differ in form between the engines (arrays here, JSON there) and in nothing else.

mod admin;
mod claim;
mod enqueue;
mod finish;
mod maintenance;
mod recurrences;
#[cfg(test)]
mod tests;
mod workers;

pub use admin::*;
pub use claim::*;
pub use enqueue::*;
pub use finish::*;
pub use maintenance::*;
pub use recurrences::*;
pub use workers::*;

/// Runs a statement with a condition on a list of texts: `$before COLUMN ∈ list $after`, the list being `$1`.
macro_rules! on_list {
    ($conn:expr, $make:expr, $before:literal, $after:literal, $list:expr, |$query:ident, $c:ident| $body:expr) => {
        match $conn.raw() {
            store::EngineConn::Sqlite($c) => {
                let list = serde_json::to_string($list).expect("texts are JSON");
                let $query =
                    $make(concat!($before, " in (select value from json_each($1)) ", $after)).bind(list);
                store::time_limited(async { $body }).await
            }
            store::EngineConn::Postgres($c) => {
                let $query = $make(concat!($before, " = any($1) ", $after)).bind($list);
                store::time_limited(async { $body }).await
            }
        }
    };
}
pub(crate) use on_list;
