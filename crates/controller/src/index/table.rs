//! Objects by namespace and name, kept up to date by a watch: a new listing replaces what was there.

use std::collections::BTreeMap;

/// What a watch says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change<V> {
    /// A listing begins.
    ListBegins,
    /// An object of the listing.
    Listed(String, String, V),
    /// The listing is complete.
    ListEnds,
    /// An object was added or has changed.
    Applied(String, String, V),
    /// An object is gone.
    Deleted(String, String),
}

/// What became of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Became {
    /// It is there; perhaps it was before.
    Present(String, String),
    /// It is gone.
    Gone(String, String),
}

/// Objects of one kind.
#[derive(Debug)]
pub(crate) struct Table<V> {
    namespaces: BTreeMap<String, BTreeMap<String, V>>,
    /// Listings under way, by the namespace they cover (`None` is all).
    listings: BTreeMap<Option<String>, BTreeMap<String, BTreeMap<String, V>>>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table { namespaces: BTreeMap::new(), listings: BTreeMap::new() }
    }
}

impl<V> Table<V> {
    /// Takes in what a watch of `scope` (a namespace, or all) says, and tells what became of which objects.
    pub(crate) fn take(&mut self, scope: Option<&str>, change: Change<V>) -> Vec<Became> {
        match change {
            Change::ListBegins => {
                self.listings.insert(scope.map(str::to_owned), BTreeMap::new());
                Vec::new()
            }
            Change::Listed(namespace, name, value) => {
                let listing = self.listings.entry(scope.map(str::to_owned)).or_default();
                listing.entry(namespace).or_default().insert(name, value);
                Vec::new()
            }
            Change::ListEnds => self.replace(scope),
            Change::Applied(namespace, name, value) => {
                self.namespaces.entry(namespace.clone()).or_default().insert(name.clone(), value);
                vec![Became::Present(namespace, name)]
            }
            Change::Deleted(namespace, name) => {
                if let Some(objects) = self.namespaces.get_mut(&namespace) {
                    objects.remove(&name);
                    if objects.is_empty() {
                        self.namespaces.remove(&namespace);
                    }
                }
                vec![Became::Gone(namespace, name)]
            }
        }
    }

    fn replace(&mut self, scope: Option<&str>) -> Vec<Became> {
        let listed = self.listings.remove(&scope.map(str::to_owned)).unwrap_or_default();
        let before = match scope {
            None => std::mem::take(&mut self.namespaces),
            Some(namespace) => self.namespaces.remove_entry(namespace).into_iter().collect(),
        };
        let mut became = Vec::new();
        for (namespace, objects) in &before {
            let now = listed.get(namespace);
            let gone = objects.keys().filter(|name| !now.is_some_and(|now| now.contains_key(*name)));
            became.extend(gone.map(|name| Became::Gone(namespace.clone(), name.clone())));
        }
        for (namespace, objects) in listed {
            became.extend(objects.keys().map(|name| Became::Present(namespace.clone(), name.clone())));
            self.namespaces.insert(namespace, objects);
        }
        became
    }

    /// One object.
    #[must_use]
    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&V> {
        self.namespaces.get(namespace)?.get(name)
    }

    /// The objects of a namespace, by name.
    pub(crate) fn of(&self, namespace: &str) -> impl Iterator<Item = (&String, &V)> {
        self.namespaces.get(namespace).into_iter().flatten()
    }

    /// How many objects a namespace has.
    #[must_use]
    pub(crate) fn count_of(&self, namespace: &str) -> usize {
        self.namespaces.get(namespace).map_or(0, BTreeMap::len)
    }

    /// All objects.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&String, &String, &V)> {
        self.namespaces.iter().flat_map(|(namespace, objects)| {
            objects.iter().map(move |(name, value)| (namespace, name, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(namespace: &str, name: &str, value: i32) -> Change<i32> {
        Change::Applied(namespace.to_owned(), name.to_owned(), value)
    }

    fn listed(namespace: &str, name: &str, value: i32) -> Change<i32> {
        Change::Listed(namespace.to_owned(), name.to_owned(), value)
    }

    #[test]
    fn a_new_listing_tells_what_was_missed() {
        let mut table = Table::default();
        table.take(None, applied("a", "kept", 1));
        table.take(None, applied("a", "gone", 2));
        table.take(None, applied("b", "gone", 3));
        table.take(None, Change::ListBegins);
        table.take(None, listed("a", "kept", 10));
        assert_eq!(table.get("a", "gone"), Some(&2), "nothing changes before the listing is complete");
        let became = table.take(None, Change::ListEnds);
        assert_eq!(table.get("a", "kept"), Some(&10));
        assert_eq!(table.all().count(), 1);
        assert!(became.contains(&Became::Gone("a".to_owned(), "gone".to_owned())));
        assert!(became.contains(&Became::Gone("b".to_owned(), "gone".to_owned())));
        assert!(became.contains(&Became::Present("a".to_owned(), "kept".to_owned())));
    }

    #[test]
    fn a_listing_of_one_namespace_leaves_the_others_alone() {
        let mut table = Table::default();
        table.take(Some("b"), applied("b", "kept", 1));
        table.take(Some("a"), applied("a", "gone", 2));
        table.take(Some("a"), Change::ListBegins);
        table.take(Some("a"), Change::ListEnds);
        assert_eq!(table.get("b", "kept"), Some(&1));
        assert_eq!(table.count_of("a"), 0);
    }
}
