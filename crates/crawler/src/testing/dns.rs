//! A DNS server with settable records: hickory-server on loopback, over UDP and TCP, answering as a recursor does.
//! Unknown names do not exist. Used by tests only.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hickory_server::Server;
use hickory_server::net::runtime::Time;
use hickory_server::proto::op::{Header, HeaderCounts, Metadata, ResponseCode};
use hickory_server::proto::rr::rdata::{CNAME, PTR, TXT};
use hickory_server::proto::rr::{Name, RData, Record, RecordType};
use hickory_server::server::{Request, RequestHandler, ResponseHandler, ResponseInfo};
use hickory_server::zone_handler::MessageResponseBuilder;
use tokio::net::{TcpListener, UdpSocket};

/// Aliases that are followed before the server gives up.
const MAX_ALIASES: usize = 8;
/// Seconds that an answer may be kept, unless it is about to change.
const TTL: u32 = 60;

/// A server on a free loopback port; ends when dropped.
pub struct DnsServer {
    address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
    _server: Server<Handler>,
}

#[derive(Default)]
struct Zone {
    /// Sets of records by name in lower case: one set per question, never empty; the last one stays.
    names: HashMap<String, VecDeque<Vec<RData>>>,
    troubles: HashMap<String, Trouble>,
}

/// Fault in the answers to questions for a name.
#[derive(Debug, Clone, Copy)]
pub enum Trouble {
    /// SERVFAIL: the server cannot answer.
    ServFail,
    /// REFUSED: the server will not answer.
    Refused,
    /// No answer.
    Silence,
}

impl DnsServer {
    pub async fn start() -> DnsServer {
        let (tcp, udp, address) = sockets().await;
        let zone = Arc::<Mutex<Zone>>::default();
        let mut server = Server::new(Handler(zone.clone()));
        server.register_socket(udp);
        server.register_listener(tcp, Duration::from_secs(5), 16);
        DnsServer { address, zone, _server: server }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the setting that makes the service ask this server.
    pub fn setting(&self) -> String {
        format!("network.dns_servers = [\"{}\"]\n", self.address)
    }

    /// Replaces a name's addresses (A and AAAA).
    pub fn leads_to(&self, name: &str, addresses: &[&str]) {
        self.leads_to_one_after_another(name, &[addresses]);
    }

    /// Gives a name other addresses from one question for A records to the next, as a rebinding attack does.
    pub fn leads_to_one_after_another(&self, name: &str, sets: &[&[&str]]) {
        let parse = |address: &&str| RData::from(address.parse::<IpAddr>().expect("an IP address"));
        let records = sets.iter().map(|addresses| addresses.iter().map(parse).collect());
        self.put(name, records.collect());
    }

    /// Gives an address a name.
    pub fn is_named(&self, address: IpAddr, name: &str) {
        let name = Name::from_ascii(format!("{name}.")).expect("a name");
        let of_address = plain(&Name::from(address).to_ascii());
        self.put(&of_address, [vec![RData::PTR(PTR(name))]].into());
    }

    /// Makes a name an alias of another.
    pub fn is_alias(&self, name: &str, target: &str) {
        let target = Name::from_ascii(format!("{target}.")).expect("a name");
        self.put(name, [vec![RData::CNAME(CNAME(target))]].into());
    }

    /// Replaces a name's TXT records; each is sent in pieces of at most 100 bytes.
    pub fn says(&self, name: &str, texts: &[&str]) {
        let pieces = |text: &&str| {
            let pieces = text.as_bytes().chunks(100).map(|piece| String::from_utf8_lossy(piece).into_owned());
            RData::TXT(TXT::new(pieces.collect()))
        };
        self.put(name, [texts.iter().map(pieces).collect()].into());
    }

    /// Sets a fault for questions for a name.
    pub fn troubles(&self, name: &str, trouble: Trouble) {
        self.zone().troubles.insert(name.to_lowercase(), trouble);
    }

    /// Removes a name and its fault.
    pub fn forget(&self, name: &str) {
        let (name, mut zone) = (name.to_lowercase(), self.zone());
        zone.names.remove(&name);
        zone.troubles.remove(&name);
    }

    fn put(&self, name: &str, sets: VecDeque<Vec<RData>>) {
        self.zone().names.insert(name.to_lowercase(), sets);
    }

    fn zone(&self) -> std::sync::MutexGuard<'_, Zone> {
        self.zone.lock().expect("no test panics while holding it")
    }
}

/// Binds both sockets to the same port: a port that is free for TCP, which many other tests use, is rarely taken for UDP.
async fn sockets() -> (TcpListener, UdpSocket, SocketAddr) {
    loop {
        let tcp = TcpListener::bind(("127.0.0.1", 0)).await.expect("a loopback port is free");
        let address = tcp.local_addr().expect("a bound socket has an address");
        if let Ok(udp) = UdpSocket::bind(address).await {
            return (tcp, udp, address);
        }
    }
}

struct Handler(Arc<Mutex<Zone>>);

enum Reply {
    Records(Vec<Record>),
    Code(ResponseCode),
    Silence,
}

impl Zone {
    fn reply(&mut self, name: &str, kind: RecordType) -> Reply {
        let mut records = Vec::new();
        let mut name = name.to_owned();
        for _ in 0..MAX_ALIASES {
            match self.troubles.get(&name) {
                Some(Trouble::ServFail) => return Reply::Code(ResponseCode::ServFail),
                Some(Trouble::Refused) => return Reply::Code(ResponseCode::Refused),
                Some(Trouble::Silence) => return Reply::Silence,
                None => {}
            }
            let Some((found, ttl)) = self.next_set(&name, kind) else {
                return if records.is_empty() {
                    Reply::Code(ResponseCode::NXDomain)
                } else {
                    Reply::Records(records)
                };
            };
            let owner = Name::from_ascii(format!("{name}.")).expect("a name");
            let wanted = found.iter().filter(|data| [kind, RecordType::CNAME].contains(&data.record_type()));
            records.extend(wanted.map(|data| Record::from_rdata(owner.clone(), ttl, data.clone())));
            match found.first() {
                Some(RData::CNAME(target)) => name = plain(&target.0.to_lowercase().to_ascii()),
                _ => return Reply::Records(records),
            }
        }
        Reply::Code(ResponseCode::ServFail)
    }

    /// Returns the records of a name for this question, and their TTL in seconds. A and AAAA are asked together: only
    /// A moves on to the next set.
    fn next_set(&mut self, name: &str, kind: RecordType) -> Option<(Vec<RData>, u32)> {
        let sets = self.names.get_mut(name)?;
        if sets.len() == 1 {
            return Some((sets.front()?.clone(), TTL));
        }
        let set = if kind == RecordType::A { sets.pop_front() } else { sets.front().cloned() };
        Some((set?, 0))
    }
}

/// Returns a name without its final dot.
fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_owned()
}

#[async_trait]
impl RequestHandler for Handler {
    async fn handle_request<R: ResponseHandler, T: Time>(
        &self,
        request: &Request,
        mut response: R,
    ) -> ResponseInfo {
        let asked = request.request_info().expect("the resolver asks one question");
        // In lower case, however it was asked.
        let name = plain(&asked.query.name().to_string());
        let reply =
            self.0.lock().expect("no test panics while holding it").reply(&name, asked.query.query_type());

        let mut metadata = Metadata::response_from_request(&request.metadata);
        metadata.recursion_available = true;
        let records = match reply {
            Reply::Silence => std::future::pending().await,
            Reply::Code(code) => {
                metadata.response_code = code;
                Vec::new()
            }
            Reply::Records(records) => records,
        };
        let message =
            MessageResponseBuilder::from_message_request(request).build(metadata, &records, &[], &[], &[]);
        let sent = response.send_response(message).await;
        sent.unwrap_or_else(|_| Header { metadata, counts: HeaderCounts::default() }.into())
    }
}
