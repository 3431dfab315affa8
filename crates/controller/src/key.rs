//! Which object: its kind, namespace and name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The kinds of autoscaler that can be managed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Autoscaler (plimsoll.dev/v1alpha1).
    Autoscaler,
    /// HorizontalPodAutoscaler (autoscaling/v2).
    Hpa,
    /// WatermarkPodAutoscaler (datadoghq.com/v1alpha1).
    Wpa,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Autoscaler, Kind::Hpa, Kind::Wpa];

    /// The kind as the API spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Autoscaler => "Autoscaler",
            Kind::Hpa => "HorizontalPodAutoscaler",
            Kind::Wpa => "WatermarkPodAutoscaler",
        }
    }

    /// The group and version under which the kind is read and written.
    #[must_use]
    pub fn api_version(self) -> &'static str {
        match self {
            Kind::Autoscaler => "plimsoll.dev/v1alpha1",
            Kind::Hpa => "autoscaling/v2",
            Kind::Wpa => "datadoghq.com/v1alpha1",
        }
    }

    /// The short name, as in flags, logs and metric labels.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Kind::Autoscaler => "autoscaler",
            Kind::Hpa => "hpa",
            Kind::Wpa => "wpa",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

/// A word that names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such kind: {0:?}; known are autoscalers, hpas and wpas")]
pub struct UnknownKind(String);

impl FromStr for Kind {
    type Err = UnknownKind;

    /// Takes the names a person would use: singular, plural, short or full.
    fn from_str(text: &str) -> Result<Kind, UnknownKind> {
        let word = text.trim().to_ascii_lowercase();
        let word = word.split('.').next().unwrap_or_default();
        match word {
            "autoscaler" | "autoscalers" | "plim" | "plims" => Ok(Kind::Autoscaler),
            "hpa" | "hpas" | "horizontalpodautoscaler" | "horizontalpodautoscalers" => Ok(Kind::Hpa),
            "wpa" | "wpas" | "watermarkpodautoscaler" | "watermarkpodautoscalers" => Ok(Kind::Wpa),
            _ => Err(UnknownKind(text.to_owned())),
        }
    }
}

/// Names one autoscaler.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} in {}", self.kind, self.name, self.namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_many_names() {
        assert_eq!("HPAs".parse(), Ok(Kind::Hpa));
        assert_eq!("horizontalpodautoscalers.v2.autoscaling".parse(), Ok(Kind::Hpa));
        assert_eq!("plim".parse(), Ok(Kind::Autoscaler));
        assert_eq!("wpa".parse(), Ok(Kind::Wpa));
        assert!("vpa".parse::<Kind>().is_err());
    }
}
