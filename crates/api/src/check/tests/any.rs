//! Whatever a valid object says, it is explained without a fault, and every number told is one it may have.

use super::*;
use proptest::prelude::*;

fn policy() -> impl Strategy<Value = String> {
    (prop_oneof![Just("Pods"), Just("Percent")], 1i32..300, 1i32..1800).prop_map(|(kind, value, period)| {
        format!("{{type: {kind}, value: {value}, periodSeconds: {period}}}")
    })
}

fn rules() -> impl Strategy<Value = String> {
    let select = prop_oneof![Just("Max"), Just("Min"), Just("Disabled")];
    (0i32..3600, select, prop::collection::vec(policy(), 1..3)).prop_map(|(window, select, policies)| {
        format!(
            "{{stabilizationWindowSeconds: {window}, selectPolicy: {select}, policies: [{}]}}",
            policies.join(", ")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn examples_stay_within_the_bounds(
        min in 1i32..60,
        more in 0i32..60,
        goal in 1i32..200,
        up in rules(),
        down in rules(),
        queue in prop::bool::ANY,
    ) {
        let metric = if queue { QUEUE.to_owned() } else { CPU.replace("60", &goal.to_string()) };
        let yaml = hpa(min, min + more, &format!("{metric}\nbehavior: {{scaleUp: {up}, scaleDown: {down}}}"));
        let report = report(&yaml);
        prop_assert!(report.findings.iter().all(|it| it.code != Code::Refused), "{:#?}", report.findings);
        for example in &report.autoscalers[0].examples {
            let mut all = vec![example.from];
            all.extend(example.changes.iter().map(|it| it.replicas));
            prop_assert!(all.iter().all(|it| (min..=min + more).contains(it)), "{all:?}");
            // A utilization is a whole percentage: at a goal of 2 % a step may be one too many and be taken back.
            let way = |to: i32| (to - example.from).signum();
            prop_assert!(all.get(1).is_none_or(|first| way(*first) == way(example.to)), "{all:?}");
            prop_assert_eq!(all.last(), Some(&example.to));
        }
    }
}
