//! Recognition of the network or server that answers for a site, from response headers. Pure.
//! The outermost one counts: where its settings are, the remedy is.

use http::HeaderMap;

/// Network or server in front of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitePlatform {
    Shopify,
    Wix,
    Squarespace,
    Webflow,
    GitHubPages,
    FirebaseHosting,
    DigitalOcean,
    Render,
    Heroku,
    Fly,
    Cloudflare,
    Vercel,
    Netlify,
    CloudFront,
    Fastly,
    Akamai,
    AzureFrontDoor,
    Bunny,
    Varnish,
    Caddy,
    LiteSpeed,
    Nginx,
    Apache,
    Iis,
    NextJs,
    Nuxt,
    Express,
}

/// Header, and a text in its value; empty: any value.
type Sign = (&'static str, &'static str);

/// Platforms with their signs, the outer ones first: a CDN passes on the headers of the server behind it. Hosts come before the
/// CDNs that they have in front themselves, where the site's owner sets nothing.
const PLATFORMS: &[(SitePlatform, &str, &[Sign])] = &[
    (
        SitePlatform::Shopify,
        "Shopify",
        &[("x-shopid", ""), ("x-shopify-stage", ""), ("powered-by", "shopify")],
    ),
    (SitePlatform::Wix, "Wix", &[("x-wix-request-id", ""), ("server", "pepyaka")]),
    (SitePlatform::Squarespace, "Squarespace", &[("server", "squarespace")]),
    (SitePlatform::Webflow, "Webflow", &[("x-wf-region", "")]),
    (SitePlatform::GitHubPages, "GitHub Pages", &[("server", "github.com"), ("x-github-request-id", "")]),
    (SitePlatform::FirebaseHosting, "Firebase Hosting", &[("vary", "x-fh-requested-host")]),
    (SitePlatform::DigitalOcean, "DigitalOcean", &[("x-do-app-origin", ""), ("x-do-orig-status", "")]),
    (SitePlatform::Render, "Render", &[("x-render-origin-server", ""), ("rndr-id", "")]),
    (SitePlatform::Heroku, "Heroku", &[("server", "heroku"), ("via", "vegur"), ("via", "heroku-router")]),
    (SitePlatform::Fly, "Fly.io", &[("fly-request-id", ""), ("server", "fly/")]),
    (SitePlatform::Cloudflare, "Cloudflare", &[("cf-ray", ""), ("server", "cloudflare")]),
    (
        SitePlatform::Akamai,
        "Akamai",
        &[("server", "akamai"), ("akamai-grn", ""), ("x-akamai-transformed", "")],
    ),
    (SitePlatform::CloudFront, "CloudFront", &[("x-amz-cf-id", ""), ("via", "cloudfront")]),
    (SitePlatform::AzureFrontDoor, "Azure Front Door", &[("x-azure-ref", "")]),
    (SitePlatform::Bunny, "Bunny", &[("server", "bunnycdn"), ("cdn-pullzone", "")]),
    (SitePlatform::Vercel, "Vercel", &[("x-vercel-id", ""), ("server", "vercel")]),
    (SitePlatform::Netlify, "Netlify", &[("x-nf-request-id", ""), ("server", "netlify")]),
    (
        SitePlatform::Fastly,
        "Fastly",
        &[("x-fastly-request-id", ""), ("fastly-restarts", ""), ("x-served-by", "cache-")],
    ),
    (SitePlatform::Varnish, "Varnish", &[("x-varnish", ""), ("via", "varnish")]),
    (SitePlatform::Caddy, "Caddy", &[("server", "caddy"), ("via", "caddy")]),
    (SitePlatform::LiteSpeed, "LiteSpeed", &[("server", "litespeed")]),
    (SitePlatform::Nginx, "nginx", &[("server", "nginx"), ("server", "openresty")]),
    (SitePlatform::Apache, "Apache", &[("server", "apache")]),
    (SitePlatform::Iis, "IIS", &[("server", "microsoft-iis")]),
    (SitePlatform::NextJs, "Next.js", &[("x-powered-by", "next.js"), ("x-nextjs-cache", "")]),
    (SitePlatform::Nuxt, "Nuxt", &[("x-powered-by", "nuxt")]),
    (SitePlatform::Express, "Express", &[("x-powered-by", "express")]),
];

impl SitePlatform {
    /// Recognises the outermost platform by the headers of several answers.
    pub fn recognise<'a>(answers: impl Iterator<Item = &'a HeaderMap> + Clone) -> Option<SitePlatform> {
        let has = |(name, text): &Sign| {
            let mut values = answers.clone().flat_map(|headers| headers.get_all(*name));
            values.any(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase().contains(text))
        };
        PLATFORMS.iter().find(|(_, _, signs)| signs.iter().any(has)).map(|(platform, ..)| *platform)
    }

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        PLATFORMS.iter().find(|(platform, ..)| *platform == self).map_or("", |(_, name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn recognised(headers: &[(&'static str, &'static str)]) -> Option<&'static str> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        SitePlatform::recognise(std::iter::once(&headers)).map(SitePlatform::name)
    }

    #[test]
    fn the_outermost_platform_is_recognised() {
        type Case = (&'static [(&'static str, &'static str)], Option<&'static str>);
        let cases: [Case; 28] = [
            (&[("server", "cloudflare"), ("cf-ray", "1-FRA"), ("x-shopid", "1")], Some("Shopify")),
            (&[("server", "Pepyaka"), ("x-served-by", "cache-fra-1")], Some("Wix")),
            (&[("server", "Squarespace")], Some("Squarespace")),
            (&[("server", "cloudflare"), ("x-wf-region", "us-east-1")], Some("Webflow")),
            (&[("server", "GitHub.com"), ("x-served-by", "cache-fra-1")], Some("GitHub Pages")),
            (
                &[("x-served-by", "cache-fra-1"), ("vary", "x-fh-requested-host, accept-encoding")],
                Some("Firebase Hosting"),
            ),
            (&[("server", "cloudflare"), ("x-do-orig-status", "200")], Some("DigitalOcean")),
            (&[("server", "cloudflare"), ("rndr-id", "1")], Some("Render")),
            (&[("via", "2.0 heroku-router"), ("x-powered-by", "Express")], Some("Heroku")),
            (&[("server", "Fly/1a2b (2026-01-01)"), ("via", "2 fly.io")], Some("Fly.io")),
            (&[("server", "LiteSpeed")], Some("LiteSpeed")),
            (&[("server", "Microsoft-IIS/10.0"), ("x-powered-by", "ASP.NET")], Some("IIS")),
            (&[("x-powered-by", "Nuxt")], Some("Nuxt")),
            (&[("x-powered-by", "Next.js")], Some("Next.js")),
            (
                &[("cf-ray", "8f2-FRA"), ("server", "cloudflare"), ("x-vercel-id", "fra1::x")],
                Some("Cloudflare"),
            ),
            (&[("x-vercel-id", "fra1::x"), ("x-powered-by", "Next.js")], Some("Vercel")),
            (&[("server", "Netlify"), ("cache-status", "\"Netlify Edge\"; fwd=miss")], Some("Netlify")),
            (&[("via", "1.1 abc.cloudfront.net (CloudFront)"), ("server", "nginx")], Some("CloudFront")),
            (&[("x-served-by", "cache-fra-1"), ("via", "1.1 varnish")], Some("Fastly")),
            (&[("server", "AkamaiGHost")], Some("Akamai")),
            (&[("x-azure-ref", "1")], Some("Azure Front Door")),
            (&[("server", "BunnyCDN-DE1-1"), ("cdn-cache", "HIT")], Some("Bunny")),
            (&[("x-varnish", "3 2"), ("server", "Apache/2.4.65")], Some("Varnish")),
            (&[("server", "Caddy")], Some("Caddy")),
            (&[("server", "nginx/1.22.1"), ("x-powered-by", "Express")], Some("nginx")),
            (&[("server", "Apache/2.4.65 (Debian)")], Some("Apache")),
            (&[("x-powered-by", "Express")], Some("Express")),
            (&[("server", "gws")], None),
        ];

        for (headers, name) in cases {
            assert_eq!(recognised(headers), name, "{headers:?}");
        }
    }
}
