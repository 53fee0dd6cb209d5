//! A DNS server with settable answers. Used by tests only.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use hickory_resolver::proto::op::{Message, Query, ResponseCode};
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// A server on a free loopback port; ends when dropped. Names it was not told about do not exist.
#[derive(Debug)]
pub struct DnsServer {
    address: SocketAddr,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    task: JoinHandle<()>,
}

#[derive(Debug, Clone)]
enum Answer {
    /// One set of addresses per question, with TTL 0; the last one stays.
    Addresses(Vec<Vec<IpAddr>>),
    Failure,
    Silence,
}

impl DnsServer {
    /// Starts a server.
    #[expect(clippy::disallowed_methods, reason = "the task ends with the test")]
    pub async fn start() -> DnsServer {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await.expect("a loopback port is free");
        let address = socket.local_addr().expect("a bound socket has an address");
        let answers = Arc::new(Mutex::new(HashMap::new()));
        let task = tokio::spawn(serve(socket, answers.clone()));
        DnsServer { address, answers, task }
    }

    /// Where the server listens, for `NetworkConfig::dns_servers`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Gives a name its addresses (A and AAAA).
    pub fn set(&self, name: &str, addresses: &[&str]) {
        self.set_sequence(name, &[addresses]);
    }

    /// Gives a name other addresses from one question for A records to the next, as a rebinding attack does.
    pub fn set_sequence(&self, name: &str, sequence: &[&[&str]]) {
        let parse = |set: &&[&str]| set.iter().map(|ip| ip.parse().expect("an IP address")).collect();
        self.put(name, Answer::Addresses(sequence.iter().map(parse).collect()));
    }

    /// Answers questions for a name with SERVFAIL.
    pub fn fail(&self, name: &str) {
        self.put(name, Answer::Failure);
    }

    /// Leaves questions for a name without any answer.
    pub fn stay_silent(&self, name: &str) {
        self.put(name, Answer::Silence);
    }

    fn put(&self, name: &str, answer: Answer) {
        self.answers.lock().expect("no test panics while holding it").insert(format!("{name}."), answer);
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(socket: UdpSocket, answers: Arc<Mutex<HashMap<String, Answer>>>) {
    let mut buffer = [0; 4096];
    while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
        let Ok(question) = Message::from_vec(&buffer[..length]) else { continue };
        let reply = {
            let mut answers = answers.lock().expect("no test panics while holding it");
            question.queries.first().and_then(|query| reply_to(&question, query, &mut answers))
        };
        if let Some(bytes) = reply.and_then(|reply| reply.to_vec().ok()) {
            socket.send_to(&bytes, client).await.ok();
        }
    }
}

fn reply_to(question: &Message, query: &Query, answers: &mut HashMap<String, Answer>) -> Option<Message> {
    let mut reply = Message::response(question.metadata.id, question.metadata.op_code);
    reply.metadata.recursion_available = true;
    reply.metadata.recursion_desired = question.metadata.recursion_desired;
    reply.add_query(query.clone());

    match answers.get_mut(&query.name().to_lowercase().to_string()) {
        None => reply.metadata.response_code = ResponseCode::NXDomain,
        Some(Answer::Silence) => return None,
        Some(Answer::Failure) => reply.metadata.response_code = ResponseCode::ServFail,
        Some(Answer::Addresses(sequence)) => {
            let addresses = sequence.first().cloned().unwrap_or_default();
            if query.query_type() == RecordType::A && sequence.len() > 1 {
                sequence.remove(0);
            }
            let records = addresses
                .into_iter()
                .map(RData::from)
                .filter(|data| data.record_type() == query.query_type());
            reply.add_answers(records.map(|data| Record::from_rdata(query.name().clone(), 0, data)));
        }
    }
    Some(reply)
}
