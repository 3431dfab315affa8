//! How long it takes to read one HorizontalPodAutoscaler from YAML, and to read, default and check it.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use plimsoll_api::manifest::{self, Object};
use plimsoll_api::{hpa, quantity};

const MANIFEST: &[u8] = b"\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: prod
  labels:
    app: web
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  minReplicas: 2
  maxReplicas: 20
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 70
  - type: External
    external:
      metric:
        name: queue_depth
        selector:
          matchLabels:
            queue: orders
      target:
        type: AverageValue
        averageValue: \"30\"
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
      policies:
      - type: Percent
        value: 50
        periodSeconds: 60
";

fn read(c: &mut Criterion) {
    c.bench_function("read one HPA from YAML", |b| {
        b.iter(|| manifest::read(black_box("web.yaml"), black_box(MANIFEST)));
    });
    c.bench_function("read, default and check one HPA", |b| {
        b.iter(|| {
            let documents = manifest::read(black_box("web.yaml"), black_box(MANIFEST)).unwrap_or_default();
            documents
                .into_iter()
                .map(|it| match it.object {
                    Object::Hpa(mut object) => {
                        hpa::default(&mut object);
                        hpa::validate(&object).len()
                    }
                    _ => usize::MAX,
                })
                .sum::<usize>()
        });
    });
    c.bench_function("parse a quantity", |b| b.iter(|| quantity::parse(black_box("7300m"))));
    let mut text = String::new();
    let quantity = quantity::Quantity::from_milli(7300, quantity::Format::DecimalSi);
    c.bench_function("write a quantity", |b| {
        b.iter(|| {
            text.clear();
            black_box(quantity).write_to(&mut text)
        });
    });
}

criterion_group!(benches, read);
criterion_main!(benches);
