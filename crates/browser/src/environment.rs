//! What every browser of a pool is started with. Made once by the pool, read by the supervisor and the browser.
//! Must never know which browsers run.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::BrowserConfig;
use crate::egress::Identity;
use crate::profile::Profiles;

/// The settings, and what was made of them for all browsers together.
pub(crate) struct Environment {
    pub config: BrowserConfig,
    pub identity: Arc<Identity>,
    pub capabilities: Capabilities,
    /// Pages are drawn with their pictures and fonts.
    pub draws_pictures: bool,
    profiles: io::Result<Profiles>,
}

/// What the machine turned out to allow; kept from one start to the next.
#[derive(Debug, Default)]
pub(crate) struct Capabilities {
    pub no_frames_on_demand: AtomicBool,
}

impl Environment {
    /// Makes the key of the proxy and the folder of the profiles. Starts nothing.
    pub fn new(config: BrowserConfig) -> Environment {
        Environment {
            identity: Arc::new(Identity::generate().expect("making a key needs nothing but randomness")),
            capabilities: Capabilities::default(),
            draws_pictures: false,
            profiles: Profiles::open(&config.profile_dir),
            config,
        }
    }

    /// Makes the environment of browsers that draw pictures. Screenshots need ordinary frames.
    pub fn for_pictures(config: BrowserConfig) -> Environment {
        let capabilities = Capabilities { no_frames_on_demand: AtomicBool::new(true) };
        Environment { capabilities, draws_pictures: true, ..Environment::new(config) }
    }

    /// Folders for browsers, or why there are none.
    pub fn profiles(&self) -> io::Result<&Profiles> {
        self.profiles.as_ref().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.config.profile_dir.display()))
        })
    }
}
