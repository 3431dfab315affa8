//! Good files and every way a file can be bad, with the line a person gets to see.

use super::*;

const HPA: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  minReplicas: 2
  maxReplicas: 10
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: AverageValue
          averageValue: 0.5
";

fn hpa_with(from: &str, to: &str) -> String {
    assert!(HPA.contains(from), "{from}");
    HPA.replacen(from, to, 1)
}

#[track_caller]
fn refused(text: impl AsRef<[u8]>, message: &str) {
    match read("web.yaml", text.as_ref()) {
        Err(error) => assert_eq!(error.to_string(), message),
        Ok(documents) => panic!("accepted {documents:#?}"),
    }
}

#[track_caller]
fn accepted(text: &str) -> Vec<Document> {
    read("web.yaml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn yaml_and_json_give_the_same_object() {
    let documents = accepted(HPA);
    let [Document { object: Object::Hpa(hpa), line: 1, index: 0, .. }] = documents.as_slice() else {
        panic!("{documents:#?}")
    };
    let target = &hpa.spec.metrics.as_ref().expect("metrics")[0].resource.as_ref().expect("resource").target;
    assert_eq!(
        target.average_value.as_ref().map(|it| it.0.as_str()),
        Some("500m"),
        "numbers are quantities too"
    );
    let json = serde_json::to_string_pretty(hpa).expect("json").replace("  ", "\t");
    let again = accepted(&json);
    let [Document { object: Object::Hpa(again), .. }] = again.as_slice() else { panic!("{again:#?}") };
    assert_eq!(hpa, again);
}

#[test]
fn many_documents_keep_their_place_and_empty_ones_are_skipped() {
    let text = format!(
        "# nothing\n---\n{HPA}---\n# nothing\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: web}}\n"
    );
    let documents = accepted(&text);
    let places: Vec<_> = documents.iter().map(|it| (it.kind.as_str(), it.index, it.line)).collect();
    assert_eq!(places, [("HorizontalPodAutoscaler", 0, 3), ("Service", 1, 24)]);
    assert_eq!(documents[0].object.metadata().and_then(|it| it.name.as_deref()), Some("web"));
    assert!(accepted("").is_empty());
    assert!(accepted("\u{feff}# just a comment\n").is_empty());
}

#[test]
fn lists_hand_down_what_their_items_do_not_say() {
    let text = r#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},
         "spec":{"scaleTargetRef":{"kind":"Deployment","name":"a"},"maxReplicas":2}},
        {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscalerList","metadata":{},"items":[
          {"metadata":{"name":"b"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"b"},"maxReplicas":2}}]},
        {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},
         "spec":{"selector":{},"template":{"spec":{"containers":[
           {"name":"app","resources":{"requests":{"cpu":1,"memory":"64Mi"}}}]}}}}]}"#;
    let documents = accepted(text);
    let kinds: Vec<_> =
        documents.iter().map(|it| (it.api_version.as_str(), it.kind.as_str(), it.line)).collect();
    assert_eq!(
        kinds,
        [
            ("autoscaling/v1", "HorizontalPodAutoscaler", 2),
            ("autoscaling/v2", "HorizontalPodAutoscaler", 5),
            ("apps/v1", "Deployment", 6),
        ]
    );
    refused(
        "apiVersion: v1\nkind: List\nitems:\n- spec: {}\n",
        "web.yaml:4:3: items[0].apiVersion: missing: every object needs apiVersion and kind",
    );
    refused("apiVersion: v1\nkind: List\nitems: web\n", "web.yaml:3:8: items: expected a list, got \"web\"");
    refused(
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- {}",
            hpa_with("maxReplicas: 10", "maxReplicas: x").replace('\n', "\n  ")
        ),
        "web.yaml:14:18: items[0].spec.maxReplicas: expected an integer, got \"x\"",
    );
}

#[test]
fn every_kind_of_autoscaler_is_known() {
    let wpa = "\
apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 3
  scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}
  tolerance: 0.01
  metrics:
  - type: External
    external: {metricName: lag, highWatermark: 10, lowWatermark: \"5\", metricSelector: {matchLabels: {a: b}}}
";
    assert!(matches!(accepted(wpa)[0].object, Object::Wpa(_)));
    refused(
        wpa.replace("maxReplicas", "maxReplica"),
        "web.yaml:5:3: spec.maxReplica: unknown field: did you mean \"maxReplicas\"?",
    );
    let ours = "\
apiVersion: plimsoll.dev/v1alpha1
kind: Autoscaler
metadata: {name: web}
spec:
  maxReplicas: 3
  scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}
";
    assert!(matches!(accepted(ours)[0].object, Object::Autoscaler(_)));
    refused(ours.replace("maxReplicas", "replicas"), "web.yaml:5:3: spec.replicas: unknown field: remove it");
}

#[test]
fn unknown_fields_are_named() {
    refused(
        hpa_with("maxReplicas", "maxReplica"),
        "web.yaml:11:3: spec.maxReplica: unknown field: did you mean \"maxReplicas\"?",
    );
    refused(
        hpa_with("averageValue: 0.5", "percent: 5"),
        "web.yaml:18:11: spec.metrics[0].resource.target.percent: unknown field: remove it",
    );
    refused(
        hpa_with("metadata:", "metdata:"),
        "web.yaml:3:1: metdata: unknown field: did you mean \"metadata\"?",
    );
}

#[test]
fn wrong_types_are_named() {
    refused(
        hpa_with("maxReplicas: 10", "maxReplicas: ten"),
        "web.yaml:11:16: spec.maxReplicas: expected an integer, got \"ten\"",
    );
    refused(
        hpa_with("maxReplicas: 10", "maxReplicas: 99999999999"),
        "web.yaml:11:16: spec.maxReplicas: expected an integer from -2147483648 to 2147483647, got 99999999999",
    );
    refused(
        hpa_with("maxReplicas: 10", "maxReplicas: 1.5"),
        "web.yaml:11:16: spec.maxReplicas: expected an integer, got 1.5",
    );
    refused(
        hpa_with("name: web", "name: 5"),
        "web.yaml:4:9: metadata.name: expected a string, got 5: put it in quotes",
    );
    refused(
        hpa_with("averageValue: 0.5", "averageValue: ten"),
        "web.yaml:18:25: spec.metrics[0].resource.target.averageValue: \"ten\" is no quantity: quantities must match \
         the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
    refused(
        hpa_with("averageValue: 0.5", "averageValue: [1]"),
        "web.yaml:18:25: spec.metrics[0].resource.target.averageValue: expected a quantity such as 500m, 2 or 1Gi, \
         got a list",
    );
    refused(
        hpa_with("  metrics:\n    - type: Resource", "  metrics:\n      type: Resource"),
        "web.yaml:13:7: spec.metrics: expected a list, got an object",
    );
    refused(
        hpa_with("metadata:\n  name: web", "metadata:\n  annotations: {a.b/c: true}"),
        "web.yaml:4:24: metadata.annotations[\"a.b/c\"]: expected a string, got true: put it in quotes",
    );
}

#[test]
fn missing_parts_are_named() {
    refused("kind: X\n", "web.yaml:1:1: apiVersion: missing: every object needs apiVersion and kind");
    refused("apiVersion: v1\nkind:\n", "web.yaml:1:1: kind: missing: every object needs apiVersion and kind");
    refused("apiVersion: 1\nkind: X\n", "web.yaml:1:13: apiVersion: expected a string, got 1");
    refused("- a\n", "web.yaml:1:1: expected an object, got a list");
    refused("hello\n", "web.yaml:1:1: expected an object, got \"hello\"");
}

#[test]
fn versions_that_are_gone_are_not_passed_over() {
    refused(
        hpa_with("autoscaling/v2", "autoscaling/v2beta2"),
        "web.yaml:1:13: apiVersion: no known version of this kind, got \"autoscaling/v2beta2\": use autoscaling/v2 \
         and autoscaling/v1",
    );
}

#[test]
fn broken_text_is_refused_with_its_place() {
    refused(
        hpa_with("minReplicas: 2", "maxReplicas: 2"),
        "web.yaml:11:3: duplicate key \"maxReplicas\": remove one of them",
    );
    refused(r#"{"a": 1, "a": 2}"#, "web.yaml:1:10: duplicate key \"a\": remove one of them");
    refused("a: [1\n", "web.yaml:1:4: not valid YAML: unclosed bracket '['");
    refused(
        "a:\n\t- x\n",
        "web.yaml:2:2: not valid YAML: tabs disallowed within this context (block indentation)",
    );
    refused(b"a: 1\nb: \xc3\xa9\xff\n", "web.yaml:2:5: not UTF-8: save the file as UTF-8");
    refused(b"\xff\xfea\0", "web.yaml:1:1: not UTF-8: save the file as UTF-8");
    refused("a: *b\n", "web.yaml:1:4: not valid YAML: while parsing node, found unknown anchor");
}

#[test]
fn ten_megabytes_of_nesting_are_refused_at_once() {
    refused("[".repeat(10_000_000), "web.yaml:1:101: nested too deeply: more than 100 levels");
    refused("{a: ".repeat(2_500_000), "web.yaml:1:401: nested too deeply: more than 100 levels");
    refused("- ".repeat(5_000_000), "web.yaml:1:201: nested too deeply: more than 100 levels");
}

#[test]
fn as_deep_as_allowed_fits_a_thread_s_stack() {
    let deep = format!("apiVersion: v1\nkind: X\na: {}{}", "[".repeat(98), "]".repeat(98));
    let thread = std::thread::spawn(move || read("web.yaml", deep.as_bytes()).map(|it| it.len()));
    assert_eq!(thread.join().expect("no overflow"), Ok(1));
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let again = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{again}]\n"));
    }
    let error = read("web.yaml", bomb.as_bytes()).expect_err("a bomb");
    assert_eq!(error.what, "too much repetition by anchors and aliases: write it out");
}

#[test]
fn any_type_can_be_read_with_the_same_care() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Settings {
        period_secs: u8,
        mode: Mode,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Mode {
        Plain,
        Deep { levels: u32 },
    }
    let as_settings =
        |text: &str| read_as::<Settings>("s.yaml", text.as_bytes()).map_err(|error| error.to_string());
    assert_eq!(
        as_settings("periodSecs: 3\nmode: plain\n"),
        Ok(Settings { period_secs: 3, mode: Mode::Plain })
    );
    assert_eq!(
        as_settings("periodSecs: 3\nmode: {deep: {levels: 2}}\n"),
        Ok(Settings { period_secs: 3, mode: Mode::Deep { levels: 2 } })
    );
    for (text, message) in [
        ("periodSecs: 3\n", "s.yaml:1:1: missing field \"mode\""),
        (
            "periodSecs: 300\nmode: plain\n",
            "s.yaml:1:13: periodSecs: expected an integer from 0 to 255, got 300",
        ),
        ("periodSecs: 3\nmode: odd\n", "s.yaml:2:7: mode: expected one of plain, deep, got \"odd\""),
        (
            "periodSecs: 3\nmode: {deep: {levels: x}}\n",
            "s.yaml:2:23: mode.deep.levels: expected an integer, got \"x\"",
        ),
        ("period: 3\n", "s.yaml:1:1: period: unknown field: there are periodSecs, mode"),
        ("", "s.yaml: is empty"),
        ("periodSecs: 3\nmode: plain\n---\nx: 1\n", "s.yaml:4:1: a second document, but this file holds one"),
    ] {
        assert_eq!(as_settings(text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn anchors_aliases_and_merges_are_expanded() {
    let text = "apiVersion: v1\nkind: X\nbase: &base {a: 1, b: &two 2}\nsame: *base\nmine:\n  <<: *base\n  b: 3\nboth:\n  <<: [{a: 7}, *base]\nn: *two\n";
    let documents = accepted(text);
    let Object::Other(value) = &documents[0].object else { panic!("{documents:#?}") };
    assert_eq!(value["same"], serde_json::json!({"a": 1, "b": 2}));
    assert_eq!(value["mine"], serde_json::json!({"b": 3, "a": 1}));
    assert_eq!(value["both"], serde_json::json!({"a": 7, "b": 2}));
    assert_eq!(value["n"], serde_json::json!(2));
    refused("a: &a [*a]\n", "web.yaml:1:8: not valid here: an alias inside of what it stands for");
    refused("a: {<<: 1}\n", "web.yaml:1:9: not valid here: << takes an object or a list of objects");
    refused("[1]: 2\n", "web.yaml:1:1: not valid here: a key must be a string");
    refused("a: !thing 1\n", "web.yaml:1:11: not valid here: the tag !thing is not supported");
    let documents = accepted("apiVersion: v1\nkind: X\na: !!str 5\nb: ! 5\nyes: '5'\n");
    let Object::Other(value) = &documents[0].object else { panic!("{documents:#?}") };
    assert_eq!(value["a"], serde_json::json!("5"));
    assert_eq!(value["yes"], serde_json::json!("5"), "a key is what is written");
}

#[test]
fn large_files_are_read() {
    let many = "---\n".to_owned() + &vec![HPA; 2_000].join("---\n");
    assert_eq!(accepted(&many).len(), 2_000);
    let keys: String = (0..50_000).map(|number| format!("  key-{number}: value\n")).collect();
    assert_eq!(accepted(&format!("apiVersion: v1\nkind: ConfigMap\ndata:\n{keys}")).len(), 1);
    refused(
        format!("apiVersion: v1\nkind: ConfigMap\ndata:\n{keys}  key-7: again\n"),
        "web.yaml:50004:3: duplicate key \"key-7\": remove one of them",
    );
}

fn any_json() -> impl proptest::strategy::Strategy<Value = serde_json::Value> {
    use proptest::prelude::*;
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "\\PC{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            proptest::collection::btree_map("\\PC{0,8}", inner, 0..5).prop_map(|it| {
                serde_json::Value::Object(it.into_iter().filter(|(key, _)| key != "<<").collect())
            }),
        ]
    })
}

proptest::proptest! {
    #[test]
    fn any_json_is_read_as_it_is(value in any_json()) {
        let text = serde_json::json!({"apiVersion": "v1", "kind": "X", "data": value}).to_string();
        let documents = accepted(&text);
        let Object::Other(read) = &documents[0].object else { panic!("{documents:#?}") };
        proptest::prop_assert_eq!(&read["data"], &value);
    }

    #[test]
    fn no_text_panics(text in "[ -~\n\t:{}\\[\\]&*#!|>'\"-]{0,80}") {
        let _ = read("web.yaml", text.as_bytes());
        let _ = read("web.yaml", format!("{HPA}{text}").as_bytes());
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60)) {
        let _ = read("web.yaml", &bytes);
    }
}
