//! Tests of Markdown: rules, texts of strangers, hostile documents, and comparison with other readers and writers.

mod hostile;
mod oracle;
mod pages;
mod rules;
mod strangers;
