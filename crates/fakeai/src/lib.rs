//! Stand-ins of the AI vendors for development: OpenAI, chat completions, Perplexity, Gemini, Anthropic, DataForSEO and
//! SerpApi on one port, with invented answers that are the same for the same seed, day and question.
//! Used by tests, benchmarks and the demonstration. Must never be part of the product, and calls nobody.

mod answers;
mod counts;
mod delivery;
mod dice;
mod options;
mod scenario;
mod script;
mod server;
mod vendors;

pub use answers::FakeBrand;
pub use counts::PathTraffic;
pub use options::FakeOptions;
pub use scenario::{Delivery, Fault, Scenario};
pub use script::{AnswerFile, ScriptedAnswer, ScriptedSource};
pub use server::{FakeVendors, static_hosts};
pub use vendors::Vendor;
