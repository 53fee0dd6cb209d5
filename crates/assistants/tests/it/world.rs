//! A world for tests: the stand-ins of the vendors, the way to them, and a gate that writes everything down.

use std::sync::Mutex;

use assistants::providers::call::{AskFailure, AskFailureCause, Asked, Assistants, CallEnd, CallGate};
use assistants::providers::wire::ProviderFailure;
use assistants::providers::{
    ApiStyle, AssistantQuestion, Persona, Provider, ProviderConnection, ProviderKey, Quirks, SearchVendor,
    Usd,
};
use crawler::{Network, NetworkConfig};
use fakeai::{FakeOptions, FakeVendors, Fault, Scenario, Vendor, static_hosts};
use jiff::Timestamp;

/// Days from 1970 to 2026-11-25.
pub const DAY: i64 = 20_782;
pub const NOW: &str = "2026-11-25T09:30:00Z";
pub const QUESTION: &str = "What is the best tool for prerendering SPAs?";
/// Long enough to be a secret.
pub const KEY: &str = "sk-test-0123456789abcdef";
pub const OVERVIEW_KEY: &str = "shop@example.com:0123456789abcdef";

pub fn now() -> Timestamp {
    NOW.parse().unwrap()
}

pub fn usd(dollars: f64) -> Usd {
    Usd::from_dollars(dollars).unwrap()
}

/// The stand-ins and the way to them.
pub struct World {
    pub vendors: FakeVendors,
    pub assistants: Assistants,
    pub gate: Ledger,
}

impl World {
    /// Makes a world whose network lets nothing private through but what the operator has named.
    pub async fn new() -> World {
        World::with(NetworkConfig::default()).await
    }

    /// Makes a world in which the names of the vendors lead to the stand-ins too.
    pub async fn with_vendor_names() -> World {
        let vendors = FakeVendors::start(options()).await.unwrap();
        let hosts = static_hosts(vendors.address());
        let hosts =
            hosts.into_iter().map(|(name, address)| (name, address.to_string().parse().unwrap())).collect();
        let allow_private = vec!["127.0.0.0/8".parse().unwrap()];
        let network =
            Network::new(NetworkConfig { hosts, allow_private, ..NetworkConfig::default() }).unwrap();
        World { vendors, assistants: Assistants::new(&network), gate: Ledger::default() }
    }

    async fn with(config: NetworkConfig) -> World {
        let vendors = FakeVendors::start(options()).await.unwrap();
        let assistants = Assistants::new(&Network::new(config).unwrap());
        World { vendors, assistants, gate: Ledger::default() }
    }

    /// Makes a connection to the stand-in of a vendor, under the provider that it belongs to.
    pub fn connection(&self, vendor: Vendor) -> ProviderConnection {
        let (provider, key) = match vendor {
            Vendor::Openai | Vendor::Chat => (Provider::Chatgpt, KEY),
            Vendor::Perplexity => (Provider::Perplexity, KEY),
            Vendor::Gemini => (Provider::Gemini, KEY),
            Vendor::Anthropic => (Provider::Claude, KEY),
            Vendor::Dataforseo => (Provider::GoogleAiOverview, OVERVIEW_KEY),
            Vendor::Serpapi => (Provider::GoogleAiOverview, KEY),
        };
        let mut connection = ProviderConnection::new(provider);
        connection.base_url = Some(self.vendors.base_url(vendor).parse().unwrap());
        connection.key = Some(ProviderKey::new(key).unwrap());
        if vendor == Vendor::Chat {
            connection.style = ApiStyle::Chat;
            connection.model = Some("some-search-model".to_owned());
        }
        if vendor == Vendor::Serpapi {
            connection.vendor = SearchVendor::Serpapi;
        }
        connection
    }

    /// Makes a connection to the stand-in of a vendor of Google's search, which is asked for AI Mode.
    pub fn ai_mode(&self, vendor: Vendor) -> ProviderConnection {
        ProviderConnection { provider: Provider::GoogleAiMode, ..self.connection(vendor) }
    }

    pub fn fails(&self, fault: Fault) {
        self.vendors.set_scenario(Scenario { fault: Some(fault), ..Scenario::default() });
    }

    pub fn fails_times(&self, fault: Fault, times: u32) {
        self.vendors.set_scenario(Scenario { fault: Some(fault), times: Some(times), ..Scenario::default() });
    }

    pub async fn ask(&self, connection: &ProviderConnection) -> Result<Asked, AskFailure<String>> {
        self.ask_about(connection, QUESTION, &Persona::default()).await
    }

    pub async fn ask_about(
        &self,
        connection: &ProviderConnection,
        text: &str,
        persona: &Persona,
    ) -> Result<Asked, AskFailure<String>> {
        let question = AssistantQuestion { text, persona, run: Some("01JD"), now: now() };
        self.assistants.ask(connection, question, &Quirks::default(), &self.gate).await
    }
}

fn options() -> FakeOptions {
    FakeOptions { day: Some(DAY), ..FakeOptions::default() }
}

/// Returns the provider's failure of a question.
pub fn failure_of(result: Result<Asked, AskFailure<String>>) -> ProviderFailure {
    match result {
        Err(AskFailure { cause: AskFailureCause::Provider(failure), .. }) => failure,
        other => panic!("no failure of the provider: {other:?}"),
    }
}

/// A gate that writes down each reservation and its end.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Mutex<Vec<Entry>>,
    /// Number of reservations after which the gate stays closed.
    pub limit: Option<usize>,
}

/// A reservation and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    pub reserved: Usd,
    pub end: Option<CallEnd>,
}

impl Ledger {
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap().clone()
    }

    /// Returns the ends of all reservations, each of which must have one.
    pub fn ends(&self) -> Vec<CallEnd> {
        self.entries().into_iter().map(|entry| entry.end.expect("every reservation is settled")).collect()
    }
}

impl CallGate for Ledger {
    type Ticket = usize;
    type Refusal = String;

    async fn open(&self, reserve: Usd) -> Result<usize, String> {
        let mut entries = self.entries.lock().unwrap();
        if self.limit.is_some_and(|limit| entries.len() >= limit) {
            return Err("the budget is spent".to_owned());
        }
        entries.push(Entry { reserved: reserve, end: None });
        Ok(entries.len() - 1)
    }

    async fn close(&self, ticket: usize, end: CallEnd) {
        let mut entries = self.entries.lock().unwrap();
        assert_eq!(entries[ticket].end.replace(end), None, "a reservation is settled once");
    }
}
