//! From manifests to autoscalers under test: any kind, with the workload beside it when it was given.

mod config;
mod metric;
mod workload;

use crate::error::BadInput;
use crate::subject::{Calendar, Subject, Workload};
use crate::world::World;
use plimsoll_api::autoscaler::{self, Autoscaler};
use plimsoll_api::hpa::{self, Flags, Hpa};
use plimsoll_api::manifest::{Document, Object};
use plimsoll_api::source::{MetricSelector, Source};
use plimsoll_api::wpa::{self, WatermarkPodAutoscaler};
use plimsoll_engine::Policy;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An autoscaler as every kind can be seen: a policy, where its metrics come from, what it scales.
struct Lowered {
    policy: Policy,
    sources: Vec<Source>,
    target_kind: String,
    target_name: String,
    calendar: Option<Arc<Calendar>>,
}

impl Subject {
    /// Every autoscaler among the documents, ready for this world. Workloads among them are read, the rest is left.
    pub fn all(documents: &[Document], world: &World) -> Result<Vec<Subject>, BadInput> {
        let mut subjects = Vec::new();
        let mut sources = Vec::new();
        for document in documents {
            let Some(lowered) = lower(document)? else { continue };
            sources.push(document.source.to_string());
            subjects.push(build(document, lowered, documents, world)?);
        }
        tell_apart(&mut subjects, &sources);
        if subjects.is_empty() {
            let files: Vec<&str> = documents.iter().map(|d| &*d.source).collect();
            let place = files.first().copied().unwrap_or("the manifests");
            return Err(BadInput::new(
                place,
                "there is no autoscaler in it",
                "give a HorizontalPodAutoscaler, an Autoscaler or a WatermarkPodAutoscaler",
            ));
        }
        Ok(subjects)
    }
}

/// Gives autoscalers of the same name different ones: by file, and if that is not enough, by number.
fn tell_apart(subjects: &mut [Subject], sources: &[String]) {
    let count = |names: &[String], name: &str| names.iter().filter(|n| *n == name).count();
    let plain: Vec<String> = subjects.iter().map(|s| s.name.clone()).collect();
    for (subject, source) in subjects.iter_mut().zip(sources) {
        if count(&plain, &subject.name) > 1 {
            let file = source.rsplit(['/', '\\']).next().unwrap_or(source);
            subject.name = format!("{} ({file})", subject.name);
        }
    }
    let filed: Vec<String> = subjects.iter().map(|s| s.name.clone()).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for subject in subjects.iter_mut() {
        let times = seen.entry(subject.name.clone()).or_insert(0);
        *times += 1;
        if count(&filed, &subject.name) > 1 {
            subject.name = format!("{} #{times}", subject.name);
        }
    }
}

fn place(document: &Document) -> String {
    format!("{}:{}", document.source, document.line)
}

fn lower(document: &Document) -> Result<Option<Lowered>, BadInput> {
    match &document.object {
        Object::Hpa(object) => lower_hpa(document, (**object).clone()).map(Some),
        Object::HpaV1(object) => lower_hpa(document, hpa::v1::from_v1(object)).map(Some),
        Object::Autoscaler(object) => lower_autoscaler(document, object).map(Some),
        Object::Wpa(object) => lower_wpa(document, (**object).clone()).map(Some),
        _ => Ok(None),
    }
}

fn lower_hpa(document: &Document, mut object: Hpa) -> Result<Lowered, BadInput> {
    // As kubectl does.
    object.metadata.namespace.get_or_insert_with(|| "default".to_string());
    hpa::default(&mut object);
    if let Some(error) = hpa::validate(&object).into_iter().next() {
        return Err(BadInput::new(
            place(document),
            error.to_string(),
            "`plimsoll check` explains every finding",
        ));
    }
    let lowered = hpa::lower(&object, &Flags::default())
        .map_err(|error| BadInput::new(place(document), error.to_string(), "correct the manifest"))?;
    let target = object.spec.scale_target_ref;
    Ok(Lowered {
        policy: lowered.policy,
        sources: lowered.words.metrics.iter().map(|m| m.source.clone()).collect(),
        target_kind: target.kind,
        target_name: target.name,
        calendar: None,
    })
}

fn lower_autoscaler(document: &Document, object: &Autoscaler) -> Result<Lowered, BadInput> {
    let lowered = autoscaler::admit(object, &Flags::default()).map_err(|errors| {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        BadInput::new(place(document), first, "`plimsoll check` explains every finding")
    })?;
    let target = &object.spec.scale_target_ref;
    let scheduled = object.spec.schedules.as_ref().is_some_and(|s| !s.is_empty());
    Ok(Lowered {
        sources: lowered.words().metrics.iter().map(|m| m.source.clone()).collect(),
        policy: lowered.base.policy,
        target_kind: target.kind.clone(),
        target_name: target.name.clone(),
        calendar: scheduled.then(|| Arc::new(lowered.calendar)),
    })
}

fn lower_wpa(document: &Document, mut object: WatermarkPodAutoscaler) -> Result<Lowered, BadInput> {
    wpa::apply_defaults(&mut object.spec);
    let policy = wpa::lower(&object)
        .map_err(|error| BadInput::new(place(document), error.to_string(), "correct the manifest"))?;
    let sources = object.spec.metrics.iter().filter_map(|m| {
        let external = m.external.as_ref().filter(|_| m.kind == "External");
        let resource = m.resource.as_ref().filter(|_| m.kind == "Resource");
        external
            .map(|e| Source::External {
                name: e.metric_name.as_str().into(),
                selector: MetricSelector::new(e.metric_selector.as_ref()),
            })
            .or(resource.map(|r| Source::Resource {
                name: r.name.as_str().into(),
                container: None,
                selector: None,
            }))
    });
    Ok(Lowered {
        policy,
        sources: sources.collect(),
        target_kind: object.spec.scale_target_ref.kind,
        target_name: object.spec.scale_target_ref.name,
        calendar: None,
    })
}

fn build(
    document: &Document,
    lowered: Lowered,
    documents: &[Document],
    world: &World,
) -> Result<Subject, BadInput> {
    let given = workload::find(documents, &lowered.target_kind, &lowered.target_name);
    let workload = Workload::resolve(&given, world, lowered.policy.bounds.min);
    let mut feeds = Vec::new();
    let mut metrics = Vec::new();
    for (source, metric) in lowered.sources.iter().zip(&lowered.policy.metrics) {
        feeds.push(metric::feed(source, &given, &workload, world, &place(document))?);
        metrics.push(metric::shown(source, metric, world));
    }
    let name =
        document.object.metadata().and_then(|m| m.name.clone()).unwrap_or_else(|| "autoscaler".to_string());
    let mut config =
        vec![crate::record::Line::new("target", format!("{}/{}", lowered.target_kind, lowered.target_name))];
    config.extend(config::lines(&lowered.policy, &metrics));
    Ok(Subject {
        name,
        kind: document.kind.clone(),
        policy: lowered.policy,
        feeds,
        metrics,
        config,
        workload,
        calendar: lowered.calendar,
    })
}
