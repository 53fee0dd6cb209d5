//! Version of the browser, and the user agent of its requests. Used by the browser and its tabs.
//! Must never claim to be another browser: sites serve other content to it.

use serde::Deserialize;

/// Response to `Browser.getVersion`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    pub product: String,
    user_agent: String,
}

impl Version {
    /// Returns the major version, as in `156`.
    pub fn major(&self) -> &str {
        let number = self.product.rsplit('/').next().unwrap_or_default();
        number.split('.').next().unwrap_or_default()
    }

    /// Returns the user agent of pages and requests: Chrome of this version, and Glasshouse.
    pub fn user_agent(&self) -> String {
        let words: Vec<String> = self
            .user_agent
            .split(' ')
            .map(|word| match word.split_once('/') {
                // Chrome itself states no more than the major version.
                Some(("HeadlessChrome" | "Chrome", _)) => format!("Chrome/{}.0.0.0", self.major()),
                _ => word.to_owned(),
            })
            .collect();
        format!("{} Glasshouse/{}", words.join(" "), env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_agent_is_an_ordinary_chrome_with_our_name() {
        let version = Version {
            product: "HeadlessChrome/156.0.8078.79".into(),
            user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
                         HeadlessChrome/156.0.8078.79 Safari/537.36"
                .into(),
        };

        let user_agent = version.user_agent();

        assert_eq!(
            user_agent,
            format!(
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 \
                 Safari/537.36 Glasshouse/{}",
                env!("CARGO_PKG_VERSION")
            )
        );
    }
}
