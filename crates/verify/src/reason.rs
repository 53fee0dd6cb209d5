//! Reasons why a question got no answer, in a clause for people. Pure.
//! Must never name an address that the guard refused: the report of a domain goes to its owner, and names of a private DNS are not theirs.

use std::error::Error;
use std::io;

use crawler::FetchError;
use crawler::connector::ConnectError;
use crawler::errors::{causes, one_line};
use rustls::CertificateError;

const CLOSED_EARLY: &str = "the connection was closed before the answer was complete";

/// Returns why a fetch failed.
pub fn reason_of(error: &FetchError) -> String {
    match error {
        _ if error.is_refused() => {
            "its address is private or reserved, which `network.allow_private` does not allow".to_owned()
        }
        FetchError::Timeout(_) => "it took too long".to_owned(),
        FetchError::Encoding(encoding) => {
            format!("the body is compressed as {encoding:?}, which was not asked for")
        }
        FetchError::Connect(connect) => connection_reason(connect),
        _ => broken_reason(error),
    }
}

fn connection_reason(error: &ConnectError) -> String {
    match causes(error).find_map(tls_error) {
        Some(rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::Other(_),
        )) => "its certificate is not from an authority that browsers know".to_owned(),
        Some(rustls::Error::InvalidMessage(_)) => "it speaks no TLS at this port".to_owned(),
        _ => one_line(error),
    }
}

fn broken_reason(error: &FetchError) -> String {
    for cause in causes(error) {
        let http = cause.downcast_ref::<hyper::Error>();
        if http.is_some_and(hyper::Error::is_parse) {
            return "the answer is no HTTP".to_owned();
        }
        if http.is_some_and(hyper::Error::is_incomplete_message) {
            return CLOSED_EARLY.to_owned();
        }
        match cause.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::UnexpectedEof) => return CLOSED_EARLY.to_owned(),
            Some(io::ErrorKind::ConnectionReset) => return "the connection was reset".to_owned(),
            _ => {}
        }
    }
    one_line(error)
}

/// Returns the TLS error inside an I/O error, which is none of its sources.
fn tls_error<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()
}
