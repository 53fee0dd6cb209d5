//! Connection to a provider: the operator's settings of it. Used by every provider and by `call`. Pure.
//! Must never show a key, in any form of output.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crawler::Network;
use crawler::guard::{Guard, Refusal};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{Provider, Usd, google_search, listing_of};

/// Shorter keys are dummies of local servers, which may well be words of an answer.
const SECRET_BYTES: usize = 12;
/// Shorter keys would mask parts of words in an error.
const ERROR_BYTES: usize = 4;
const MASK: &str = "***";

/// Form of the requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiStyle {
    /// The provider's own.
    #[default]
    Native,
    /// Chat completions, of any server that speaks them.
    Chat,
}

/// Vendor of Google's result pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchVendor {
    #[default]
    Dataforseo,
    Serpapi,
}

impl SearchVendor {
    /// Returns the identifier in the settings and in the price table.
    pub const fn as_str(self) -> &'static str {
        match self {
            SearchVendor::Dataforseo => "dataforseo",
            SearchVendor::Serpapi => "serpapi",
        }
    }
}

/// A key of a provider. Printing it shows a mask.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderKey(Arc<str>);

/// The text of a key cannot be sent in a header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a key is one word of visible ASCII characters")]
pub struct BadProviderKey;

impl ProviderKey {
    /// Takes a key from the settings; white space around it is dropped.
    pub fn new(text: &str) -> Result<ProviderKey, BadProviderKey> {
        let text = text.trim();
        let is_fine = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_fine { Ok(ProviderKey(text.into())) } else { Err(BadProviderKey) }
    }

    /// Returns the key itself, to be sent to its provider and nowhere else.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Masks the key in an error's text, in every form in which a server may return it.
    pub fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.without_forms(text, ERROR_BYTES)
    }

    /// Masks the key in an answer's text. A short key is left alone, since it may be a word of the answer.
    pub fn masked_in_answer<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.without_forms(text, SECRET_BYTES)
    }

    fn without_forms<'a>(&self, text: &'a str, least_bytes: usize) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        for form in self.forms().filter(|form| form.len() >= least_bytes) {
            if masked.contains(&*form) {
                masked = Cow::Owned(masked.replace(&*form, MASK));
            }
        }
        masked
    }

    /// Forms in which the key is sent, and the password of `login:password`; longest first.
    fn forms(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let whole: &str = &self.0;
        let encoded = percent_encoding::utf8_percent_encode(whole, percent_encoding::NON_ALPHANUMERIC);
        let password = whole.split_once(':').map(|(_, password)| password);
        let basic = password.is_some().then(|| Cow::Owned(STANDARD.encode(whole)));
        let forms = basic.into_iter().chain([Cow::Owned(encoded.to_string()), Cow::Borrowed(whole)]);
        forms.chain(password.map(Cow::Borrowed))
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// Settings of a provider: `providers.<id>.*`, or `analysis.*`.
#[derive(Clone, PartialEq)]
pub struct ProviderConnection {
    pub provider: Provider,
    pub style: ApiStyle,
    /// Read for Google's search only.
    pub vendor: SearchVendor,
    /// Everything before the vendor's path. The operator's own may be at a private address. None: the vendor's.
    pub base_url: Option<Url>,
    pub key: Option<ProviderKey>,
    /// None: the provider's default.
    pub model: Option<String>,
    /// False: the model answers without the web.
    pub search: bool,
    /// Operator's price of one question; takes the place of the price table. Zero: free.
    pub usd_per_run: Option<Usd>,
}

impl ProviderConnection {
    /// Makes the default settings of a provider, which has no key yet.
    pub fn new(provider: Provider) -> ProviderConnection {
        ProviderConnection {
            provider,
            style: ApiStyle::Native,
            vendor: SearchVendor::default(),
            base_url: None,
            key: None,
            model: None,
            search: true,
            usd_per_run: None,
        }
    }

    /// Returns the model that is asked for; of Google's search the vendor.
    pub fn model(&self) -> &str {
        match self.provider {
            provider if provider.is_google_search() => self.vendor.as_str(),
            provider => self.model.as_deref().unwrap_or(listing_of(provider).model),
        }
    }

    pub fn is_chat(&self) -> bool {
        self.style == ApiStyle::Chat
    }

    /// Decides whether the provider can be asked: there is a key, or a chat-completions server stands in.
    pub fn is_available(&self) -> bool {
        self.problem().is_none()
    }

    /// Explains, with the remedy, why the provider cannot be asked. None: it can.
    pub fn problem(&self) -> Option<&'static str> {
        let is_chat = self.is_chat();
        if is_chat && self.provider.is_google_search() {
            return Some("api_style \"chat\" cannot stand in for Google's search: remove it");
        }
        if is_chat && self.base_url.is_none() {
            return Some("api_style \"chat\" needs a base_url");
        }
        if !is_chat && self.key.is_none() {
            return Some("no api_key is set");
        }
        if let Some(base) = &self.base_url {
            if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
                return Some("base_url must begin with http:// or https://");
            }
            if !base.username().is_empty() || base.password().is_some() {
                return Some("base_url must not contain a user name: set api_key");
            }
        }
        let is_pair = |key: &ProviderKey| key.secret().contains(':');
        if self.provider.is_google_search()
            && self.vendor == SearchVendor::Dataforseo
            && !self.key.as_ref().is_some_and(is_pair)
        {
            return Some("the api_key of dataforseo is login:password");
        }
        None
    }

    /// Returns the address of a path below the base.
    pub fn endpoint(&self, path: &[&str]) -> Url {
        let mut url = match &self.base_url {
            Some(base) => base.clone(),
            None => {
                self.default_base().parse().expect("the listings hold valid addresses, which a test checks")
            }
        };
        url.set_fragment(None);
        // An address without a path is refused by `problem` before anything is sent.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    fn default_base(&self) -> &'static str {
        match self.provider {
            provider if provider.is_google_search() => google_search::default_base(self),
            provider => listing_of(provider).base_url,
        }
    }

    /// Decides whether the operator's own address is a private one: by itself, by its name or by a static name of the
    /// network.
    pub fn is_at_private_address(&self, network: &Network) -> bool {
        let Some(base) = &self.base_url else { return false };
        match base.host() {
            Some(Host::Ipv4(ip)) => is_private(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => is_private(IpAddr::V6(ip)),
            Some(Host::Domain(name)) => match network.is_static(name) {
                Some(target) => is_private(target.ip),
                None => is_private_name(name),
            },
            None => false,
        }
    }
}

fn is_private(ip: IpAddr) -> bool {
    let refused = Guard::default().check((ip, 443).into());
    matches!(refused, Err(Refusal::Loopback | Refusal::Private | Refusal::LinkLocal))
}

/// Names that no public DNS has: RFC 6761, RFC 6762, RFC 8375, and single labels as containers have them.
fn is_private_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let endings = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test"];
    !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending))
}

impl fmt::Debug for ProviderConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address may hold a password, or a key as a parameter.
        let base = self
            .base_url
            .as_ref()
            .map(|url| format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()));
        f.debug_struct("ProviderConnection")
            .field("provider", &self.provider)
            .field("style", &self.style)
            .field("vendor", &self.vendor)
            .field("base_url", &base)
            .field("key", &self.key)
            .field("model", &self.model)
            .field("search", &self.search)
            .field("usd_per_run", &self.usd_per_run)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use crawler::NetworkConfig;

    use super::*;

    fn chat_at(address: &str) -> ProviderConnection {
        let base_url = Some(address.parse().unwrap());
        ProviderConnection { style: ApiStyle::Chat, base_url, ..ProviderConnection::new(Provider::Chatgpt) }
    }

    #[test]
    fn printing_a_connection_shows_no_key() {
        let connection = ProviderConnection {
            key: Some(ProviderKey::new("sk-secret-0123456789").unwrap()),
            ..chat_at("https://user:password@gateway.example/v1?key=hidden")
        };

        let printed = format!("{connection:?}");

        assert!(printed.contains("gateway.example"));
        assert!(["secret", "password", "hidden"].iter().all(|word| !printed.contains(word)), "{printed}");
    }

    #[test]
    fn a_key_is_masked_in_every_form_that_is_sent() {
        let key = ProviderKey::new("login@shop.example:0123456789abcdef").unwrap();
        let basic = STANDARD.encode("login@shop.example:0123456789abcdef");

        let masked = key
            .masked(&format!("bad {basic}, login%40shop%2Eexample%3A0123456789abcdef, 0123456789abcdef"))
            .into_owned();

        assert_eq!(masked, "bad ***, ***, ***");
    }

    #[test]
    fn a_dummy_key_is_masked_in_errors_only() {
        let key = ProviderKey::new("ollama").unwrap();

        assert_eq!(key.masked("no ollama here"), "no *** here");
        assert_eq!(key.masked_in_answer("ollama is a good tool"), "ollama is a good tool");
    }

    #[test]
    fn a_key_that_no_header_takes_is_refused() {
        for text in ["", "  ", "two words", "line\nbreak", "schlüssel"] {
            assert!(ProviderKey::new(text).is_err(), "{text:?}");
        }
        assert_eq!(ProviderKey::new(" sk-1\n").unwrap().secret(), "sk-1");
    }

    #[test]
    fn a_provider_is_available_with_a_key_or_with_a_chat_server() {
        let with_key = |provider, key: &str| ProviderConnection {
            key: ProviderKey::new(key).ok(),
            ..ProviderConnection::new(provider)
        };

        assert!(!with_key(Provider::Claude, "").is_available());
        assert!(with_key(Provider::Claude, "sk").is_available());
        for provider in [Provider::GoogleAiOverview, Provider::GoogleAiMode] {
            assert!(!with_key(provider, "no-colon").is_available());
            assert!(with_key(provider, "login:password").is_available());
            let chat = ProviderConnection { provider, ..chat_at("http://127.0.0.1/v1") };
            assert!(!chat.is_available());
        }
        assert!(chat_at("http://127.0.0.1:11434/v1").is_available());
        assert!(!chat_at("ftp://127.0.0.1/v1").is_available());
        assert!(!chat_at("http://user@127.0.0.1/v1").is_available());
    }

    #[test]
    fn a_path_is_put_after_the_base_and_before_its_parameters() {
        let endpoint = |base: &str| chat_at(base).endpoint(&["models", "a/b:c"]).to_string();

        assert_eq!(endpoint("http://x.test/v1"), "http://x.test/v1/models/a%2Fb:c");
        assert_eq!(endpoint("http://x.test/v1/"), "http://x.test/v1/models/a%2Fb:c");
        assert_eq!(
            endpoint("http://x.test/v1?api-version=1#x"),
            "http://x.test/v1/models/a%2Fb:c?api-version=1"
        );
        let vendor = ProviderConnection::new(Provider::Chatgpt).endpoint(&["responses"]);
        assert_eq!(vendor.as_str(), "https://api.openai.com/v1/responses");
    }

    #[tokio::test]
    async fn a_private_address_is_known_by_number_name_or_static_name() {
        let hosts = [("ai.example".to_owned(), "10.0.0.5:8000".parse().unwrap())].into();
        let network = Network::new(NetworkConfig { hosts, ..NetworkConfig::default() }).unwrap();

        for private in [
            "http://127.0.0.1:1",
            "http://[::1]/v1",
            "http://10.1.1.1",
            "http://ollama:11434",
            "http://localhost",
            "http://gpu.lan",
            "http://ai.example/v1",
        ] {
            assert!(chat_at(private).is_at_private_address(&network), "{private}");
        }
        for public in ["https://api.openai.com/v1", "http://1.1.1.1", "https://gateway.example"] {
            assert!(!chat_at(public).is_at_private_address(&network), "{public}");
        }
    }
}
