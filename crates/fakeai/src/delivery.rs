//! Bodies on their way: whole, packed, in pieces, slow, broken, endless. Used by the server.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{StreamExt, stream};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use serde_json::Value;

use crate::scenario::Delivery;
use crate::vendors::{Reply, ReplyBody};

/// Bytes of white space before the body of a large response.
const LARGE: usize = 20_000_000;
/// Parts of a gzip bomb, each of 1 MiB of white space.
const BOMB_PARTS: usize = 4_096;
/// Pause before a truncated body breaks off.
const TRUNCATED_AFTER: Duration = Duration::from_millis(20);

/// Error of a body that breaks off.
#[derive(Debug)]
pub(crate) struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the connection breaks here, as the scenario says")
    }
}

impl std::error::Error for Broken {}

pub(crate) type FakeBody = BoxBody<Bytes, Broken>;

/// Turns a reply into a response. Returns the length of its body.
pub(crate) fn deliver(reply: Reply, delivery: Delivery) -> (Response<FakeBody>, usize) {
    let (text, content_type) = match reply.body {
        ReplyBody::Json(value) => (written(value, delivery), "application/json"),
        ReplyBody::Text { text, content_type } => (text, content_type),
    };
    let content_type = if delivery == Delivery::WrongType { "text/html" } else { content_type };
    let length = text.len();
    let body = Bytes::from(text);

    let mut response = Response::new(body_of(body, delivery));
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if matches!(delivery, Delivery::Gzip | Delivery::GzipBomb) {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if delivery == Delivery::Truncated {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) =
            (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
        {
            headers.insert(name, value);
        }
    }
    (response, length)
}

/// Writes the JSON, with the disorder that the delivery wants.
fn written(mut value: Value, delivery: Delivery) -> String {
    match delivery {
        Delivery::DuplicateKeys => {
            let text = value.to_string();
            let first = value.as_object().and_then(|fields| fields.keys().next());
            match first {
                Some(key) => text.replacen('{', &format!("{{{}:null,", Value::from(key.as_str())), 1),
                None => text,
            }
        }
        Delivery::UnknownBlocks => {
            add_unknown(&mut value);
            value.to_string()
        }
        _ => value.to_string(),
    }
}

/// Puts an item of an unknown type at the beginning of every list of typed items.
fn add_unknown(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(add_unknown);
            if items.iter().any(|item| item.get("type").is_some()) {
                items.insert(0, serde_json::json!({ "type": "hologram_2027", "payload": { "depth": 3 } }));
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(add_unknown),
        _ => {}
    }
}

fn body_of(body: Bytes, delivery: Delivery) -> FakeBody {
    match delivery {
        Delivery::Gzip => whole(packed(&body)),
        Delivery::GzipBomb => {
            let part = packed(&[b' '; 1024 * 1024]);
            pieces(stream::iter((0..BOMB_PARTS).map(move |_| Ok(part.clone()))))
        }
        Delivery::Chunked => {
            let chunks: Vec<Bytes> = body.chunks(700).map(Bytes::copy_from_slice).collect();
            pieces(stream::iter(chunks.into_iter().map(Ok)))
        }
        Delivery::Drip(pause_ms) => {
            let bytes = stream::iter((0..body.len()).map(move |at| body.slice(at..at + 1)));
            pieces(bytes.then(move |byte| async move {
                tokio::time::sleep(Duration::from_millis(pause_ms)).await;
                Ok(byte)
            }))
        }
        Delivery::Truncated => {
            let half = body.slice(..body.len() / 2);
            let end = stream::once(async {
                // The first half is on its way by then.
                tokio::time::sleep(TRUNCATED_AFTER).await;
                Err(Broken)
            });
            pieces(stream::iter([Ok(half)]).chain(end))
        }
        Delivery::Endless => {
            let spaces = Bytes::from_static(&[b' '; 64 * 1024]);
            pieces(stream::repeat_with(move || Ok(spaces.clone())))
        }
        Delivery::Large => {
            let spaces = Bytes::from_static(&[b' '; 64 * 1024]);
            let head = stream::repeat_with(move || Ok(spaces.clone())).take(LARGE / (64 * 1024));
            pieces(head.chain(stream::iter([Ok(body)])))
        }
        Delivery::Whole
        | Delivery::WrongType
        | Delivery::DuplicateKeys
        | Delivery::UnknownBlocks
        | Delivery::Hang
        | Delivery::Close => whole(body),
    }
}

fn whole(body: Bytes) -> FakeBody {
    Full::new(body).map_err(|never| match never {}).boxed()
}

fn pieces(stream: impl futures::Stream<Item = Result<Bytes, Broken>> + Send + Sync + 'static) -> FakeBody {
    BodyExt::boxed(StreamBody::new(stream.map(|piece| piece.map(Frame::data))))
}

fn packed(body: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).expect("a vector takes every byte");
    encoder.finish().expect("a vector takes every byte").into()
}
