//! Chooses the element whose content becomes the text. Used by `convert`. Pure.

use super::elements::Element;
use super::tree::{ROOT, Tree, Visitor};

/// Finds `main`, else the only `article`, else the body. Elements that are hidden count where no other does.
pub fn find(tree: &Tree) -> usize {
    let mut search =
        Search { tree, hidden_depth: 0, shown: Candidates::default(), hidden: Candidates::default() };
    tree.visit(ROOT, &mut search);
    let Candidates { main, articles, article } = search.shown;
    let hidden = search.hidden;
    main.or(hidden.main)
        .or(article.filter(|_| articles == 1))
        .or(hidden.article.filter(|_| articles == 0 && hidden.articles == 1))
        .unwrap_or(ROOT)
}

/// Elements that may be the root.
#[derive(Debug, Default)]
struct Candidates {
    main: Option<usize>,
    article: Option<usize>,
    /// Number of articles.
    articles: usize,
}

struct Search<'t> {
    tree: &'t Tree,
    /// Number of open elements that are hidden.
    hidden_depth: usize,
    shown: Candidates,
    hidden: Candidates,
}

impl Search<'_> {
    fn is_hidden(&self, id: usize) -> bool {
        self.tree.nodes[id].is_hidden || self.tree.nodes[id].is_aria_hidden
    }
}

impl Visitor for Search<'_> {
    fn enter(&mut self, id: usize) -> bool {
        self.hidden_depth += usize::from(self.is_hidden(id));
        let candidates = if self.hidden_depth > 0 { &mut self.hidden } else { &mut self.shown };
        match self.tree.nodes[id].element {
            Element::Main => candidates.main = candidates.main.or(Some(id)),
            Element::Article => {
                candidates.article = candidates.article.or(Some(id));
                candidates.articles += 1;
            }
            _ => {}
        }
        true
    }

    fn leave(&mut self, id: usize) {
        self.hidden_depth -= usize::from(self.is_hidden(id));
    }
}
