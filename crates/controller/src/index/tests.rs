//! What the watches say, and what follows from it.

use serde_json::{Value, json};

use super::*;
use crate::config::Config;

fn hpa(name: &str, max: i32, status: &Value) -> Arc<Subject> {
    let object = json!({
        "metadata": {"name": name, "namespace": "prod", "uid": format!("uid-{name}")},
        "spec": {"maxReplicas": max, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
        "status": status,
    });
    Arc::new(Subject::hpa(serde_json::from_value(object).unwrap(), &Config::default()))
}

fn applied(subject: &Arc<Subject>) -> Change<Arc<Subject>> {
    Change::Applied("prod".to_owned(), subject.key.name.clone(), subject.clone())
}

fn pod(name: &str, labels: &Value, owner: Option<(&str, &str, &str)>) -> Arc<PodView> {
    let owners: Vec<Value> = owner
        .iter()
        .map(|(kind, name, uid)| json!({"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}))
        .collect();
    let pod = json!({
        "metadata": {"name": name, "namespace": "prod", "labels": labels, "ownerReferences": owners},
        "spec": {"containers": []},
    });
    Arc::new(PodView::from(&serde_json::from_value(pod).unwrap()))
}

fn add_pod(index: &mut Index, pod: &Arc<PodView>) {
    index.pods(None, Change::Applied("prod".to_owned(), pod.name.to_string(), pod.clone()));
}

#[test]
fn a_changed_spec_is_synced_and_a_changed_status_is_not() {
    let mut index = Index::default();
    let first = hpa("web", 3, &json!({"desiredReplicas": 1, "currentReplicas": 1}));
    let key = first.key.clone();
    assert_eq!(index.subjects(Kind::Hpa, None, applied(&first)), [Touched::Changed(key.clone())]);
    let told = hpa("web", 3, &json!({"desiredReplicas": 2, "currentReplicas": 1}));
    assert_eq!(index.subjects(Kind::Hpa, None, applied(&told)), [], "our own writes change nothing");
    let wished = hpa("web", 4, &json!({"desiredReplicas": 2, "currentReplicas": 1}));
    assert_eq!(index.subjects(Kind::Hpa, None, applied(&wished)), [Touched::Changed(key.clone())]);
    let gone = Change::Deleted("prod".to_owned(), "web".to_owned());
    assert_eq!(index.subjects(Kind::Hpa, None, gone), [Touched::Gone(key)]);
}

#[test]
fn a_reset_watch_syncs_only_what_has_changed() {
    let mut index = Index::default();
    let (same, other) = (hpa("same", 3, &json!(null)), hpa("other", 3, &json!(null)));
    index.subjects(Kind::Hpa, None, applied(&same));
    index.subjects(Kind::Hpa, None, applied(&other));
    index.subjects(Kind::Hpa, None, Change::ListBegins);
    let changed = hpa("other", 5, &json!(null));
    for subject in [&same, &changed] {
        let listed = Change::Listed("prod".to_owned(), subject.key.name.clone(), subject.clone());
        assert_eq!(index.subjects(Kind::Hpa, None, listed), []);
    }
    assert_eq!(index.subjects(Kind::Hpa, None, Change::ListEnds), [Touched::Changed(changed.key.clone())]);
}

#[test]
fn a_deployments_pods_are_found_through_its_replica_sets() {
    let mut index = Index::default();
    let set = Workload {
        uid: "rs-uid".to_owned(),
        resource_version: "1".to_owned(),
        scale: plimsoll_engine::Scale { spec: 1, status: 1 },
        selector: "app=web".to_owned(),
        controlled_by: Some("deploy-uid".to_owned()),
    };
    let change = Change::Applied("prod".to_owned(), "web-1".to_owned(), Arc::new(set));
    index.workloads(Builtin::ReplicaSet, None, change);
    let through = pod("a", &json!({"app": "web"}), Some(("ReplicaSet", "web-1", "rs-uid")));
    let direct = pod("b", &json!({"app": "web"}), Some(("StatefulSet", "db", "deploy-uid")));
    let stranger = pod("c", &json!({"app": "web"}), Some(("Job", "batch", "job-uid")));
    assert!(index.owns("prod", "deploy-uid", &through));
    assert!(index.owns("prod", "deploy-uid", &direct));
    assert!(!index.owns("prod", "deploy-uid", &stranger));
}

#[test]
fn autoscalers_that_select_the_same_pods_are_rivals() {
    let mut index = Index::default();
    add_pod(&mut index, &pod("a", &json!({"app": "web", "tier": "front"}), None));
    let selector = plimsoll_api::selector::parse("app=web").unwrap();
    let pods = index.select("prod", &selector);
    assert_eq!(pods.len(), 1);
    let (one, two) = (hpa("one", 3, &json!(null)), hpa("two", 3, &json!(null)));
    assert_eq!(index.rivals(&one.key, &selector, &pods), Vec::<String>::new());
    let front = plimsoll_api::selector::parse("tier=front").unwrap();
    assert_eq!(index.rivals(&two.key, &front, &pods), ["prod/one", "prod/two"]);
    index.subjects(Kind::Hpa, None, applied(&one));
    index.subjects(Kind::Hpa, None, Change::Deleted("prod".to_owned(), "one".to_owned()));
    assert_eq!(index.rivals(&two.key, &front, &pods), Vec::<String>::new(), "one is gone");
}
