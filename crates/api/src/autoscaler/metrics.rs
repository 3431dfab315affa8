//! What is measured: metric sources, and what to do without data.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scalars::{Choice, Level, words};

pub use super::goal::{Adjustment, Algorithm, Converge, Goal, MetricTarget, Step, TargetType, Watermarks};

words! {
    /// Where a metric comes from.
    MetricType {
        /// CPU or memory of all containers of the pods.
        Resource,
        /// CPU or memory of one container of the pods.
        ContainerResource,
        /// A value per pod, averaged.
        Pods,
        /// A value of one Kubernetes object.
        Object,
        /// A value from outside the cluster.
        External,
        /// The result of a Prometheus query.
        Prometheus,
    }
}

words! {
    /// What stands in for a metric that cannot be read.
    MissingType {
        /// The current replicas.
        Hold,
        /// Nothing.
        Ignore,
        /// Its last value.
        UseLast,
        /// A fixed value.
        Assume,
        /// A fixed number of replicas.
        Fallback,
    }
}

/// One metric: where it comes from, what holds it, and what to do when it cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricSpec {
    /// Where the metric comes from; the field of the same name (in camelCase) then describes it. One of
    /// `Resource`, `ContainerResource`, `Pods`, `Object`, `External`, `Prometheus`.
    #[serde(rename = "type")]
    pub type_: Choice<MetricType>,

    /// CPU or memory of all containers of the pods. Given exactly when `type` is `Resource`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceSource>,

    /// CPU or memory of one container of the pods. Given exactly when `type` is `ContainerResource`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_resource: Option<ContainerResourceSource>,

    /// A custom metric with one value per pod, averaged over them. Given exactly when `type` is `Pods`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodsSource>,

    /// A custom metric of one Kubernetes object, such as an Ingress. Given exactly when `type` is `Object`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectSource>,

    /// A metric that belongs to no Kubernetes object, such as the length of a cloud queue. Given exactly when
    /// `type` is `External`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalSource>,

    /// The result of a query, asked of a Prometheus server without an adapter in between. Given exactly when
    /// `type` is `Prometheus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prometheus: Option<PrometheusSource>,

    /// What stands in for the metric whenever it cannot be read: API down, discovery fails, empty list, or data
    /// older than `maxAgeSeconds`. Default: as a HorizontalPodAutoscaler does, the metric is left out and
    /// shrinking is blocked meanwhile. Example: `{type: Fallback, replicas: 10, afterSeconds: 120}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_missing: Option<OnMissing>,

    /// Data older than this many seconds count as missing. Default: data of any age are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400))]
    pub max_age_seconds: Option<i32>,
}

/// Defines a metric source: its own fields, and the three ways to hold it that all sources share. (Not a flattened
/// struct, because that would hide unknown fields and lose the place of a mistake.)
macro_rules! source {
    ($(#[$doc:meta])* $name:ident { $($fields:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($fields)*

                /// Keep the metric at one value, as in autoscaling/v2. Example: `{type: Utilization, averageUtilization: 80}`.
                /// Exactly one of `target`, `watermarks` and `steps` is given.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub target: Option<MetricTarget>,

                /// Keep the metric between two values and do nothing in between. Example: `{low: 150m, high: 400m}`, or
                /// `{low: "40%", high: "80%"}` of the request. Exactly one of `target`, `watermarks` and `steps` is given.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub watermarks: Option<Watermarks>,

                /// Change the replicas by a fixed amount for each range of the metric. The one gap between the ranges, where
                /// the sign of the adjustment changes, is the zone in which nothing is done. Exactly one of `target`,
                /// `watermarks` and `steps` is given. Example: `[{upperBound: "44%", adjustment: {replicas: -1}},
                /// {lowerBound: "88%", adjustment: {replicas: 1}}]`.
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schemars(length(min = 1, max = 20))]
                pub steps: Option<Vec<Step>>,
        }

        impl $name {
            /// What holds the metric.
            pub fn goal(&self) -> Goal<'_> {
                Goal { target: self.target.as_ref(), watermarks: self.watermarks.as_ref(), steps: self.steps.as_deref() }
            }
        }
    };
}

source! {
    /// CPU or memory of all containers of the pods.
    ResourceSource {
        /// Name of the resource: `cpu` or `memory`.
        #[serde(default)]
        #[schemars(length(min = 1, max = 316))]
        pub name: String,
    }
}

source! {
    /// CPU or memory of one container of the pods.
    ContainerResourceSource {
        /// Name of the resource: `cpu` or `memory`.
        #[serde(default)]
        #[schemars(length(min = 1, max = 316))]
        pub name: String,

        /// Name of the container in the pods of the target. Example: `app`.
        #[serde(default)]
        #[schemars(length(min = 1, max = 63))]
        pub container: String,
    }
}

source! {
    /// A custom metric with one value per pod.
    PodsSource {
        /// Which metric of the custom metrics API.
        #[serde(default)]
        pub metric: MetricIdentifier,
    }
}

source! {
    /// A custom metric of one Kubernetes object.
    ObjectSource {
        /// The object that the metric describes, in the same namespace. Example:
        /// `{apiVersion: networking.k8s.io/v1, kind: Ingress, name: main}`.
        #[serde(default)]
        pub described_object: ObjectReference,

        /// Which metric of the custom metrics API.
        #[serde(default)]
        pub metric: MetricIdentifier,
    }
}

source! {
    /// A metric that belongs to no Kubernetes object.
    ExternalSource {
        /// Which metric of the external metrics API.
        #[serde(default)]
        pub metric: MetricIdentifier,
    }
}

source! {
    /// The result of a Prometheus query.
    PrometheusSource {
        /// The query, in PromQL. Its result must be a scalar, or a vector whose values are added up. Example:
        /// `sum(rate(http_requests_total{app="shop"}[2m]))`.
        #[serde(default)]
        #[schemars(length(min = 1, max = 8192))]
        pub query: String,

        /// The server to ask, one of those the controller allows. Default: the controller's own. Example:
        /// `https://prometheus.monitoring:9090`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = 2048))]
        pub server: Option<String>,

        /// Seconds to wait for the answer before the metric counts as missing. Default: the controller's own timeout.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 300))]
        pub timeout_seconds: Option<i32>,

        /// How to log in, with a Secret of the object's namespace. Default: no credentials are sent.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub auth: Option<PrometheusAuth>,
    }
}

/// How to log in to a Prometheus server: exactly one of the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrometheusAuth {
    /// Send a bearer token. Example: `{secretName: prometheus, key: token}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<BearerAuth>,

    /// Send a user name and a password. Example: `{secretName: prometheus}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic: Option<BasicAuth>,
}

/// A bearer token in a Secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BearerAuth {
    /// Name of the Secret, in the object's namespace.
    #[serde(default)]
    #[schemars(length(min = 1, max = 253))]
    pub secret_name: String,

    /// Key of the token in it. Default: `token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub key: Option<String>,
}

/// A user name and a password in a Secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BasicAuth {
    /// Name of the Secret, in the object's namespace.
    #[serde(default)]
    #[schemars(length(min = 1, max = 253))]
    pub secret_name: String,

    /// Key of the user name in it. Default: `username`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub username_key: Option<String>,

    /// Key of the password in it. Default: `password`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub password_key: Option<String>,
}

impl MetricSpec {
    /// What holds the metric, if its source is given.
    pub fn goal(&self) -> Option<Goal<'_>> {
        match self.type_.known()? {
            MetricType::Resource => self.resource.as_ref().map(ResourceSource::goal),
            MetricType::ContainerResource => {
                self.container_resource.as_ref().map(ContainerResourceSource::goal)
            }
            MetricType::Pods => self.pods.as_ref().map(PodsSource::goal),
            MetricType::Object => self.object.as_ref().map(ObjectSource::goal),
            MetricType::External => self.external.as_ref().map(ExternalSource::goal),
            MetricType::Prometheus => self.prometheus.as_ref().map(PrometheusSource::goal),
        }
    }
}

/// What stands in for a metric that cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnMissing {
    /// `Hold`: propose the current replicas. `Ignore`: decide by the other metrics alone. `UseLast`: use the last
    /// value for up to `maxAgeSeconds`. `Assume`: decide as if the metric had `value`. `Fallback`: hold for
    /// `afterSeconds`, then propose `replicas`.
    #[serde(rename = "type")]
    pub type_: Choice<MissingType>,

    /// With `UseLast`: how old the last value may be; after that the metric is treated as if `onMissing` were not
    /// given. Example: `300`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400))]
    pub max_age_seconds: Option<i32>,

    /// With `Assume`: the value, in the same unit as what holds the metric. Example: `100m`, or `"70%"` of the
    /// request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Level>,

    /// With `Fallback`: the replicas to propose. Example: `10`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub replicas: Option<i32>,

    /// With `Fallback`: seconds without data before `replicas` is proposed; until then the current replicas are
    /// held. Default: `0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub after_seconds: Option<i32>,
}

/// A metric by name and, where there are several of that name, by labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricIdentifier {
    /// Name of the metric. Example: `http_requests_per_second`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    pub name: String,

    /// Labels that the metric must have, passed on to the metrics API. Default: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// A Kubernetes object in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// Group and version of the object. Example: `apps/v1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 317))]
    pub api_version: Option<String>,

    /// Kind of the object. Example: `Deployment`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 253))]
    pub kind: String,

    /// Name of the object. Example: `web`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}
