//! Manifests of every kind in a world: the workload beside them is read, and what a world cannot feed is said.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

mod common;

use common::shop;
use plimsoll_api::manifest;
use plimsoll_sim::record::{Goal, Run};
use plimsoll_sim::{Simulation, Subject, World};

const HPA: &str = "
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 40
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
";

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        resources: {requests: {cpu: 300m, memory: 128Mi}, limits: {cpu: 600m}}
        readinessProbe: {initialDelaySeconds: 45, periodSeconds: 4, httpGet: {port: 80}}
      - name: proxy
        resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 200m}}
";

const WPA: &str = "
apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata: {name: marks}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 40
  algorithm: average
  tolerance: 10m
  downscaleForbiddenWindowSeconds: 60
  upscaleForbiddenWindowSeconds: 30
  scaleUpLimitFactor: 100
  scaleDownLimitFactor: 30
  metrics:
  - type: External
    external: {metricName: requests_per_second, metricSelector: {matchLabels: {app: web}}, highWatermark: '7', lowWatermark: '4'}
";

fn subjects(files: &[(&str, &str)], world: &str) -> Result<Vec<Subject>, String> {
    let mut documents = Vec::new();
    for (name, text) in files {
        documents.extend(manifest::read(name, text.as_bytes()).map_err(|e| e.to_string())?);
    }
    Subject::all(&documents, &World::parse("w.yaml", world).unwrap()).map_err(|e| e.to_string())
}

fn run(subject: Subject, load: &str, world: &str) -> Run {
    let mut setup = shop(load, 3_600);
    setup.world = World::parse("w.yaml", world).unwrap();
    Simulation::new(setup, subject).unwrap().run().unwrap()
}

#[test]
fn an_hpa_alone_runs_in_the_default_world() {
    let subject = subjects(&[("hpa.yaml", HPA)], "").unwrap().remove(0);
    assert_eq!((subject.name.as_str(), subject.kind.as_str()), ("web", "HorizontalPodAutoscaler"));
    assert_eq!(subject.workload.replicas, 2);
    let run = run(subject, "step:20->200@10m", "");
    assert_eq!(run.points[0].metrics, [Some(100.0)]);
    assert!((33..=37).contains(&run.points.last().unwrap().spec));
    assert_eq!(run.metrics[0].goal, Goal::Target { value: 60.0 });
    let config: Vec<String> = run.config.iter().map(|l| format!("{}: {}", l.label, l.value)).collect();
    assert_eq!(
        config,
        [
            "target: Deployment/web",
            "replicas: 2 to 40",
            "cpu: held at 60 % of request",
            "growing: doubles at most, or to 4",
            "shrinking: no limit",
            "stabilization: 5 min down"
        ]
    );
}

#[test]
fn the_deployment_beside_it_is_read() {
    let subject = subjects(&[("hpa.yaml", HPA), ("deploy.yaml", DEPLOYMENT)], "").unwrap().remove(0);
    let workload = &subject.workload;
    assert_eq!((workload.replicas, workload.cpu_request_milli), (5, 400));
    assert_eq!(workload.cpu_ceiling, 2.0);
    assert_eq!(workload.memory_request_milli, (192 << 20) * 1_000);
    assert_eq!(workload.ready_not_before_us, 45_000_000);
    // Scheduled after 1 s, started after 4 s more, ready 45 s after that.
    let run = run(subject, "step:20->80@10m", "");
    let grown = run.changes.iter().find(|c| c.t > 600.0).unwrap();
    let ready = run.points.iter().find(|p| p.t > grown.t && p.ready > grown.from).unwrap();
    assert!((50.0..=75.0).contains(&(ready.t - grown.t)), "{} after {}", ready.t, grown.t);
}

#[test]
fn a_missing_request_fails_as_on_a_cluster() {
    let bare = DEPLOYMENT.replace("requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 200m}", "");
    let subject = subjects(&[("hpa.yaml", HPA), ("deploy.yaml", &bare)], "").unwrap().remove(0);
    let run = run(subject, "step:20->200@10m", "");
    assert!(run.changes.is_empty());
    let why = &run.trails[run.points[5].trail.unwrap() as usize].why;
    assert_eq!(why, "stays at 5: cpu needs a request: missing request for cpu in container proxy");
}

#[test]
fn watermarks_run_too() {
    let subject = subjects(&[("wpa.yaml", WPA)], "").unwrap().remove(0);
    let run = run(subject, "step:20->100@10m", "");
    assert_eq!(run.metrics[0].goal, Goal::Watermarks { low: 4.0, high: 7.0 });
    assert_eq!(run.metrics[0].unit, "requests/s per pod");
    let last = run.points.last().unwrap();
    assert!((14..=25).contains(&last.spec), "{last:?}");
    assert!(run.changes.iter().any(|c| c.reason.contains("above 7")), "{:?}", run.changes);
}

#[test]
fn names_are_told_apart() {
    let names =
        |files: &[(&str, &str)]| subjects(files, "").unwrap().into_iter().map(|s| s.name).collect::<Vec<_>>();
    assert_eq!(names(&[("a.yaml", HPA), ("dir/b.yaml", HPA)]), ["web (a.yaml)", "web (b.yaml)"]);
    let twice = format!("{HPA}---{HPA}");
    assert_eq!(names(&[("a.yaml", &twice)]), ["web (a.yaml) #1", "web (a.yaml) #2"]);
    assert_eq!(names(&[("a.yaml", HPA), ("w.yaml", WPA)]), ["web", "marks"]);
}

#[test]
fn what_a_world_cannot_feed_is_said() {
    let named = |name: &str| {
        HPA.replace(
            "  - type: Resource\n    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}",
            &format!("  - type: Pods\n    pods: {{metric: {{name: {name}}}, target: {{type: AverageValue, averageValue: '7'}}}}"),
        )
    };
    assert_eq!(
        subjects(&[("hpa.yaml", &named("orders"))], "").unwrap_err(),
        "hpa.yaml:2: the world does not produce the metric orders; say what it is in the world file: `metrics: {series: \
         [{name: orders, is: requests}]}` (or is: queue)"
    );
    assert!(
        subjects(&[("hpa.yaml", &named("orders"))], "metrics: {series: [{name: orders, is: requests}]}\n")
            .is_ok()
    );
    assert_eq!(
        subjects(&[("hpa.yaml", &named("queue_depth"))], "").unwrap_err(),
        "hpa.yaml:2: the metric queue_depth is a queue, but in this world requests never wait; write `overload: queue` \
         in the world file"
    );
    assert_eq!(
        subjects(&[("hpa.yaml", &HPA.replace("name: cpu", "name: gpu"))], "").unwrap_err(),
        "hpa.yaml:2: the world does not produce the resource metric gpu; only cpu and memory are simulated"
    );
    assert_eq!(
        subjects(&[("deploy.yaml", DEPLOYMENT)], "").unwrap_err(),
        "deploy.yaml: there is no autoscaler in it; give a HorizontalPodAutoscaler, an Autoscaler or a \
         WatermarkPodAutoscaler"
    );
    let invalid =
        subjects(&[("hpa.yaml", &HPA.replace("maxReplicas: 40", "maxReplicas: 1"))], "").unwrap_err();
    assert!(invalid.starts_with("hpa.yaml:2: spec.maxReplicas: Invalid value"), "{invalid}");
}

#[test]
fn pods_object_and_external_metrics_are_fed() {
    for (metric, load, lowest, highest) in [
        (
            "type: Pods, pods: {metric: {name: http_requests}, target: {type: AverageValue, averageValue: '5'}}",
            "step:20->60@10m",
            11,
            13,
        ),
        (
            "type: External, external: {metric: {name: qps}, target: {type: AverageValue, averageValue: '5'}}",
            "step:20->60@10m",
            11,
            13,
        ),
        (
            "type: Object, object: {metric: {name: requests-per-second}, describedObject: {apiVersion: networking.k8s.io/v1, \
             kind: Ingress, name: web}, target: {type: Value, value: '60'}}",
            "constant:60",
            2,
            2,
        ),
        (
            "type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 100Mi}}",
            "step:20->60@10m",
            2,
            40,
        ),
    ] {
        let text = HPA.replace(
            "  - type: Resource\n    resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}",
            &format!("  - {{{metric}}}"),
        );
        let subject =
            subjects(&[("hpa.yaml", &text)], "").unwrap_or_else(|e| panic!("{metric}: {e}")).remove(0);
        let run = run(subject, load, "");
        let last = run.points.last().unwrap();
        assert!(last.metrics[0].is_some(), "{metric}: {last:?}");
        assert!((lowest..=highest).contains(&last.spec), "{metric}: {last:?}");
    }
}
