//! Puts shadow roots in the place of their hosts' children, and those children into the slots. Used after parsing.

use std::collections::HashMap;

use super::tree::Tree;

/// Composes the tree that a browser shows. Children of a host that have no slot leave the tree.
pub fn compose(tree: &mut Tree) {
    for shadow in std::mem::take(&mut tree.shadows) {
        let mut slots: HashMap<String, usize> = HashMap::new();
        for slot in shadow.slots {
            let name = tree.attribute(slot, "name").unwrap_or_default().to_owned();
            slots.entry(name).or_insert(slot);
        }
        let mut slotted: Vec<(usize, usize)> = Vec::new();
        for child in tree.children(shadow.host) {
            // A text has no attributes, and stands in the slot without a name.
            let name = tree.slot_of(child);
            slotted.extend(slots.get(name).map(|slot| (*slot, child)));
        }
        clear(tree, shadow.host);
        tree.link(shadow.host, shadow.root);
        // Assigned nodes replace what stands in the slot.
        slotted.iter().for_each(|(slot, _)| clear(tree, *slot));
        slotted.iter().for_each(|(slot, child)| tree.link(*slot, *child));
    }
}

fn clear(tree: &mut Tree, id: usize) {
    (tree.nodes[id].first_child, tree.nodes[id].last_child) = (0, 0);
}
