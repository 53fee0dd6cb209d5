//! Connections to assistants as the settings say: which can be asked, how, within which limits. Made once per process.
//! Must never show a key.

use assistants::providers::{
    ApiStyle, PlanLevel, Provider, ProviderConnection, ProviderKey, SearchVendor, Usd, listing_of,
};

use crate::model::Prompt;
use platform::config::{Config, ProviderSection, ProviderStyle, SearchSource};
use platform::jobs::{NamedLane, NamedLanes};
use platform::plans::{Plan, PlanLimits};

/// Lane and ledger name of a server that only analyses.
const ANALYSIS: &str = "analysis";
/// Limits of a server that only analyses.
const ANALYSIS_LANE: NamedLane = NamedLane { at_once: 4, per_minute: 600 };

/// An assistant as this installation asks it.
#[derive(Debug, Clone)]
pub struct AssistantSetup {
    pub provider: Provider,
    pub connection: ProviderConnection,
    /// Answers are invented.
    pub is_demo: bool,
    /// None: no limit.
    pub budget_per_day: Option<Usd>,
    pub budget_per_month: Option<Usd>,
    lane: NamedLane,
}

/// Model that analyses answers.
#[derive(Debug, Clone)]
pub struct AnalysisSetup {
    pub connection: ProviderConnection,
    /// The provider whose budgets it counts in; `analysis` for a server of its own.
    pub name: String,
    lane: NamedLane,
}

/// All assistants, in their order, and the analysing model.
#[derive(Debug, Clone)]
pub struct Connections {
    assistants: Vec<AssistantSetup>,
    analysis: Option<AnalysisSetup>,
    /// Questions that stand-ins answer. Empty: all.
    demo_prompts: Vec<String>,
}

/// Reason why an assistant cannot be asked for an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// The plan is too low.
    Plan,
    /// No key is set, and no server in its place.
    NoKey,
}

impl AssistantSetup {
    fn read(provider: Provider, section: &ProviderSection) -> AssistantSetup {
        let listing = listing_of(provider);
        let or_default = |number: u32, default: u32| if number == 0 { default } else { number };
        AssistantSetup {
            provider,
            connection: ProviderConnection {
                provider,
                style: match section.api_style {
                    ProviderStyle::Native => ApiStyle::Native,
                    ProviderStyle::Chat => ApiStyle::Chat,
                },
                vendor: match section.vendor {
                    SearchSource::Dataforseo => SearchVendor::Dataforseo,
                    SearchSource::Serpapi => SearchVendor::Serpapi,
                },
                base_url: section.base_url.clone(),
                key: read_key(section.api_key.reveal(), &format!("providers.{provider}.api_key")),
                model: section.model.clone(),
                search: section.search,
                // Invented answers cost nothing.
                usd_per_run: match section.demo {
                    true => Some(Usd::ZERO),
                    false => section.usd_per_run.and_then(Usd::from_dollars),
                },
            },
            is_demo: section.demo,
            budget_per_day: section.budget_usd_per_day.and_then(Usd::from_dollars),
            budget_per_month: section.budget_usd_per_month.and_then(Usd::from_dollars),
            lane: NamedLane {
                at_once: or_default(section.in_flight, listing.in_flight) as usize,
                per_minute: or_default(section.requests_per_minute, listing.requests_per_minute),
            },
        }
    }

    /// Decides whether an account on a plan may have it asked.
    pub fn check(&self, plan: Plan) -> Result<(), Unavailable> {
        if plan < least_plan(self.provider) {
            return Err(Unavailable::Plan);
        }
        if self.connection.is_available() { Ok(()) } else { Err(Unavailable::NoKey) }
    }
}

/// Reads a key. One that cannot be sent counts as missing.
fn read_key(text: Option<&str>, setting: &str) -> Option<ProviderKey> {
    let key = ProviderKey::new(text?);
    if key.is_err() {
        tracing::warn!(setting, "the key cannot be sent: it is not one word of visible ASCII characters");
    }
    key.ok()
}

/// Returns the least plan of an account that may ask an assistant.
pub fn least_plan(provider: Provider) -> Plan {
    match listing_of(provider).plan {
        PlanLevel::Essential => Plan::Essential,
        PlanLevel::Agency => Plan::Agency,
    }
}

/// Returns the name of the lane in which requests to a provider run.
pub fn lane_of(name: &str) -> String {
    format!("provider:{name}")
}

impl Connections {
    /// Reads the settings.
    pub fn new(config: &Config) -> Connections {
        let read = |provider: Provider| {
            let section = config.providers.get(provider.as_str());
            let section = section.expect("defaults.toml has every provider and nothing can remove one");
            AssistantSetup::read(provider, section)
        };
        let assistants: Vec<AssistantSetup> = Provider::ALL.into_iter().map(read).collect();
        let analysis = read_analysis(config, &assistants);
        Connections { assistants, analysis, demo_prompts: config.mentions.demo_prompts.clone() }
    }

    pub fn all(&self) -> &[AssistantSetup] {
        &self.assistants
    }

    pub fn get(&self, provider: Provider) -> &AssistantSetup {
        let found = self.assistants.iter().find(|setup| setup.provider == provider);
        found.expect("every provider has its settings")
    }

    /// Decides whether an assistant answers a question: a stand-in of the demo may answer the demo's questions only.
    pub fn answers(&self, provider: Provider, question: &str) -> bool {
        let is_limited = self.get(provider).is_demo && !self.demo_prompts.is_empty();
        !is_limited || self.demo_prompts.iter().any(|prompt| prompt == question)
    }

    pub fn analysis(&self) -> Option<&AnalysisSetup> {
        self.analysis.as_ref()
    }

    /// Returns the assistants of a new prompt that names none: those that plan and settings allow and that answer it, cut to what
    /// a prompt may have.
    pub fn defaults(&self, plan: Plan, limits: &PlanLimits, question: &str) -> Vec<Provider> {
        let most =
            usize::try_from(limits.providers_per_prompt.most().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let available = self
            .assistants
            .iter()
            .filter(|setup| setup.check(plan).is_ok() && self.answers(setup.provider, question));
        available.map(|setup| setup.provider).take(most).collect()
    }

    /// Returns those of a prompt's assistants that plan and settings allow now and that answer its question.
    pub fn allowed(&self, prompt: &Prompt, plan: Plan, limits: &PlanLimits) -> Vec<Provider> {
        let most =
            usize::try_from(limits.providers_per_prompt.most().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let allowed = prompt.providers.iter().filter(|provider| {
            self.get(**provider).check(plan).is_ok() && self.answers(**provider, &prompt.text)
        });
        allowed.copied().take(most).collect()
    }

    /// Returns the limits of every lane, over all processes.
    pub fn lanes(&self) -> NamedLanes {
        let own = self.assistants.iter().map(|setup| (lane_of(setup.provider.as_str()), setup.lane));
        let analysis = self.analysis.iter().map(|setup| (lane_of(&setup.name), setup.lane));
        own.chain(analysis).collect()
    }

    /// Returns the number of requests that may be in flight together.
    pub fn most_in_flight(&self) -> usize {
        let available = self.assistants.iter().filter(|setup| setup.connection.is_available());
        available.map(|setup| setup.lane.at_once).sum::<usize>().max(1)
    }
}

/// Reads the model that analyses. None: the built-in analyser does it.
fn read_analysis(config: &Config, assistants: &[AssistantSetup]) -> Option<AnalysisSetup> {
    let section = &config.analysis;
    let key = read_key(section.api_key.reveal(), "analysis.api_key");
    if let Some(base_url) = &section.base_url {
        let connection = ProviderConnection {
            style: ApiStyle::Chat,
            base_url: Some(base_url.clone()),
            key,
            model: section.model.clone(),
            search: false,
            ..ProviderConnection::new(Provider::Chatgpt)
        };
        return Some(AnalysisSetup { connection, name: ANALYSIS.to_owned(), lane: ANALYSIS_LANE });
    }
    let provider: Provider = section.provider.as_deref()?.parse().ok()?;
    let setup = assistants.iter().find(|setup| setup.provider == provider)?;
    if !setup.connection.is_available() {
        tracing::warn!(%provider, "analysis.provider cannot be asked: the built-in analyser is used");
        return None;
    }
    let model = section.model.clone().or_else(|| setup.connection.model.clone());
    let connection = ProviderConnection { model, search: false, ..setup.connection.clone() };
    Some(AnalysisSetup { connection, name: provider.to_string(), lane: setup.lane })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(toml: &str) -> Connections {
        Connections::new(&Config::from_toml(toml).unwrap())
    }

    fn defaults(toml: &str, plan: Plan) -> Vec<&'static str> {
        let config = Config::from_toml(toml).unwrap();
        let providers = Connections::new(&config).defaults(plan, config.plan(plan), "which tool");
        providers.into_iter().map(Provider::as_str).collect()
    }

    const KEYS: &str = "[providers.chatgpt]\napi_key = 'sk-1'\n[providers.gemini]\napi_key = 'g'\n\
        [providers.claude]\napi_key = 'c'\n[providers.google_ai_overview]\napi_key = 'login:password'\n";

    #[test]
    fn the_default_is_what_plan_and_settings_allow() {
        assert_eq!(defaults(KEYS, Plan::Essential), ["chatgpt", "gemini"]);
        assert_eq!(defaults(KEYS, Plan::Agency), ["chatgpt", "gemini", "claude", "google_ai_overview"]);
        assert_eq!(defaults("", Plan::Enterprise), Vec::<&str>::new());
        let two = format!("{KEYS}[plans.agency]\nproviders_per_prompt = 2");
        assert_eq!(defaults(&two, Plan::Agency), ["chatgpt", "gemini"]);
    }

    #[test]
    fn ai_mode_is_a_default_only_where_it_is_set_up() {
        let ai_mode = format!("{KEYS}[providers.google_ai_mode]\napi_key = 'login:password'");

        assert!(!defaults(KEYS, Plan::Enterprise).contains(&"google_ai_mode"));
        assert!(!defaults(&ai_mode, Plan::Essential).contains(&"google_ai_mode"));
        assert_eq!(
            defaults(&ai_mode, Plan::Agency),
            ["chatgpt", "gemini", "claude", "google_ai_overview", "google_ai_mode"]
        );
        let unset = connections(KEYS);
        assert_eq!(unset.get(Provider::GoogleAiMode).check(Plan::Agency), Err(Unavailable::NoKey));
    }

    #[test]
    fn a_chat_server_stands_in_without_a_key() {
        let toml = "[providers.claude]\napi_style = 'chat'\nbase_url = 'http://127.0.0.1:11434/v1'";

        assert_eq!(defaults(toml, Plan::Agency), ["claude"]);
    }

    #[test]
    fn stand_ins_of_the_demo_answer_its_questions_only() {
        let toml = "mentions.demo_prompts = ['which pot']\n[providers.gemini]\napi_key = 'g'\n\
            [providers.claude]\napi_style = 'chat'\nbase_url = 'http://127.0.0.1:1/v1'\ndemo = true";
        let demo = connections(toml);

        assert!(demo.answers(Provider::Claude, "which pot") && demo.answers(Provider::Gemini, "which tool"));
        assert!(!demo.answers(Provider::Claude, "which tool"));
        assert_eq!(defaults(toml, Plan::Agency), ["gemini"]);
        let of_all = connections(&toml.replace("['which pot']", "[]"));
        assert!(of_all.answers(Provider::Claude, "which tool"));
    }

    #[test]
    fn a_reason_names_the_plan_before_the_key() {
        let none = connections("");

        assert_eq!(none.get(Provider::Claude).check(Plan::Essential), Err(Unavailable::Plan));
        assert_eq!(none.get(Provider::Claude).check(Plan::Agency), Err(Unavailable::NoKey));
    }

    #[test]
    fn lanes_have_the_limits_of_settings_or_listing() {
        let toml = "[providers.chatgpt]\nin_flight = 3\n[analysis]\nbase_url = 'http://127.0.0.1:1/v1'";
        let lanes = connections(toml).lanes();

        assert_eq!(lanes["provider:chatgpt"].at_once, 3);
        assert_eq!(lanes["provider:claude"].per_minute, listing_of(Provider::Claude).requests_per_minute);
        assert_eq!(lanes["provider:analysis"], ANALYSIS_LANE);
    }

    #[test]
    fn printing_connections_shows_no_key() {
        let printed = format!("{:?}", connections("[providers.chatgpt]\napi_key = 'sk-hunter2'"));

        assert!(!printed.contains("hunter2"));
    }
}
