//! Time limits of statements, and the one way to run statements on either engine.

use std::pin::Pin;
use std::time::Duration;

/// Longest time of a statement, measured by the client. A healthy server cancels a statement earlier.
pub const STATEMENT_TIME: Duration = Duration::from_secs(20);

/// Runs an expression against whichever engine a connection belongs to.
///
/// Expands to a `match` with the same body in both arms: one SQL text, checked against both drivers. Statements that
/// differ write the `match` on [`Conn::engine`](crate::Conn::engine) themselves, with a comment. See the module's
/// example. The body is cancelled after [`STATEMENT_TIME`].
#[macro_export]
macro_rules! on_engine {
    ($conn:expr, |$c:ident| $body:expr) => {
        match $conn.raw() {
            $crate::EngineConn::Sqlite($c) => {
                let statements: $crate::Statements<'_, _> = ::std::boxed::Box::pin(async { $body });
                $crate::time_limited(statements).await
            }
            $crate::EngineConn::Postgres($c) => {
                let statements: $crate::Statements<'_, _> = ::std::boxed::Box::pin(async { $body });
                $crate::time_limited(statements).await
            }
        }
    };
}

/// Boxed future of statements. Without the box every caller up to the handler carries the driver's futures in its own
/// type, and the compiler proves for each of them again that they are `Send`.
pub type Statements<'c, T> = Pin<Box<dyn Future<Output = Result<T, sqlx::Error>> + Send + 'c>>;

/// Waits for statements for at most [`STATEMENT_TIME`]: a server that neither answers nor closes the connection must
/// not hold its caller for ever.
pub async fn time_limited<T>(
    statements: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    limited_to(STATEMENT_TIME, statements).await
}

pub(super) async fn limited_to<T>(
    time: Duration,
    statements: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(time, statements).await {
        Ok(result) => result,
        Err(_) => Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())),
    }
}
