//! HTTP of AI mentions: one file per resource.
