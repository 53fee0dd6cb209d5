//! Settings and keys that all browsers of a pool are started with. Created by the pool, read by the supervisor and the browser.
//! Must never know which browsers run.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::BrowserConfig;
use crate::egress::Identity;
use crate::profile::Profiles;

/// Settings of a pool with the keys and folders made from them.
pub(crate) struct Environment {
    pub config: BrowserConfig,
    pub identity: Arc<Identity>,
    pub capabilities: Capabilities,
    /// Pictures and fonts are fetched and drawn.
    pub draws_pictures: bool,
    profiles: io::Result<Profiles>,
}

/// Capabilities that the first starts have found missing.
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

    /// Makes the environment of browsers that draw pictures. Screenshots need frames by the browser's own clock.
    pub fn for_pictures(config: BrowserConfig) -> Environment {
        let capabilities = Capabilities { no_frames_on_demand: AtomicBool::new(true) };
        Environment { capabilities, draws_pictures: true, ..Environment::new(config) }
    }

    /// Returns the folders of browsers, or the error that prevents them.
    pub fn profiles(&self) -> io::Result<&Profiles> {
        self.profiles.as_ref().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.config.profile_dir.display()))
        })
    }
}
