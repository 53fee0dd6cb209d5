//! AI mentions, tested with the stand-ins of all vendors on both engines.
