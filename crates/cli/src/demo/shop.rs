//! The shop: its visitors, its pods and the four autoscalers that look after them, all from the examples.

use anyhow::Result;
use plimsoll_api::manifest;
use plimsoll_sim::time::Span;
use plimsoll_sim::{Load, Setup, Simulation, Subject, Words, World};

/// The autoscalers, in the order they stand on the page, and the workload they look after.
const MANIFESTS: [(&str, &str); 5] = [
    ("hpa.yaml", include_str!("../../../../examples/shop/hpa.yaml")),
    ("hpa-behavior.yaml", include_str!("../../../../examples/shop/hpa-behavior.yaml")),
    ("watermarks.yaml", include_str!("../../../../examples/shop/watermarks.yaml")),
    ("steps.yaml", include_str!("../../../../examples/shop/steps.yaml")),
    ("deployment.yaml", include_str!("../../../../examples/shop/deployment.yaml")),
];
const WORLD: &str = include_str!("../../../../examples/shop/world.yaml");
const LOAD: &str = include_str!("../../../../examples/shop/load.yaml");

/// The load for people.
pub(crate) const LOAD_WORDS: &str =
    "40 requests/s at night, 220 in the afternoon, and a flash sale at noon that brings 260 more";
/// When the sale begins, seconds into the day.
pub(crate) const SALE_FROM_SECS: f64 = 12.0 * 3_600.0;
/// When it ends.
pub(crate) const SALE_UNTIL_SECS: f64 = 12.5 * 3_600.0;
/// One day.
pub(crate) const DAY_SECS: f64 = 86_400.0;
/// Time between two looks of an autoscaler.
pub(crate) const SYNC_SECS: f64 = 15.0;
/// Pods on the first midnight: enough for those who cannot sleep.
const FIRST_REPLICAS: i32 = 10;

/// Everything that a day is made of.
pub(crate) struct Shop {
    load: Load,
    world: World,
    subjects: Vec<Subject>,
}

impl Shop {
    /// Reads the examples.
    pub(crate) fn open() -> Result<Self> {
        let mut world = World::parse("world.yaml", WORLD)?;
        world.sync_period = Some(Span::from_secs(SYNC_SECS as i64));
        world.replicas = Some(FIRST_REPLICAS);
        let load = Load::parse("load.yaml", &mut |_| Ok(LOAD.to_owned()))?;
        let mut documents = Vec::new();
        for (name, text) in MANIFESTS {
            documents.extend(manifest::read(name, text.as_bytes())?);
        }
        let subjects = Subject::all(&documents, &world)?;
        Ok(Self { load, world, subjects })
    }

    /// How many autoscalers there are.
    pub(crate) fn autoscalers(&self) -> usize {
        self.subjects.len()
    }

    /// One day for each autoscaler; `replicas` are those of the evening before. No day is quite like another.
    pub(crate) fn day(&self, number: u64, replicas: &[i32], words: Words) -> Result<Vec<Simulation>> {
        let setup = Setup {
            load: self.load.clone(),
            world: self.world.clone(),
            duration: Span::from_secs(DAY_SECS as i64),
            seed: number,
            words,
        };
        let subjects = self.subjects.iter().enumerate().map(|(index, subject)| {
            let mut subject = subject.clone();
            if let Some(replicas) = replicas.get(index) {
                subject.workload.replicas = *replicas;
            }
            Ok(Simulation::new(setup.clone(), subject)?)
        });
        subjects.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sale_is_when_the_page_says() {
        let shop = Shop::open().unwrap();
        let load = |secs: f64| shop.load.at((secs * 1e6) as i64, 1);
        assert!(load(SALE_FROM_SECS + 60.0) - load(SALE_FROM_SECS - 60.0) > 200.0);
        assert!(load(SALE_UNTIL_SECS - 60.0) - load(SALE_UNTIL_SECS + 60.0) > 200.0);
    }

    #[test]
    fn four_autoscalers_in_order() {
        let shop = Shop::open().unwrap();
        let names: Vec<&str> = shop.subjects.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["hpa", "hpa-behavior", "watermarks", "steps"]);
        assert_eq!(shop.autoscalers(), 4);
    }
}
