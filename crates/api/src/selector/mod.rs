//! Label selectors: which labels match, in both forms that Kubernetes has (a string, and `matchLabels` with
//! `matchExpressions`), and how the reference prints them.

mod parse;

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

pub use parse::parse;

/// A list of requirements that labels must all meet. The empty one selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    nothing: bool,
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Greater,
    Less,
}

/// Why a selector cannot be used, in the reference's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectorError(pub String);

impl Selector {
    /// The selector that selects nothing: what an absent `LabelSelector` means.
    #[must_use]
    pub fn nothing() -> Self {
        Selector { nothing: true, requirements: Vec::new() }
    }

    /// Whether labels meet every requirement.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        !self.nothing && self.requirements.iter().all(|requirement| requirement.holds(labels))
    }

    /// From `matchLabels` and `matchExpressions`. An absent one selects nothing, an empty one everything.
    pub fn from_object(object: Option<&LabelSelector>) -> Result<Self, SelectorError> {
        let Some(object) = object else { return Ok(Selector::nothing()) };
        let mut requirements = Vec::new();
        for (key, value) in object.match_labels.iter().flatten() {
            requirements.push(Requirement::new(key, Operator::In, vec![value.clone()])?);
        }
        for expression in object.match_expressions.iter().flatten() {
            requirements.push(Requirement::from_object(expression)?);
        }
        Ok(Selector { nothing: false, requirements })
    }
}

impl fmt::Display for Selector {
    /// As the API's `labelSelector` parameter takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{requirement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::Exists => write!(f, "{key}"),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::In if self.values.len() == 1 => write!(f, "{key}={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn if self.values.len() == 1 => write!(f, "{key}!={values}"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Greater => write!(f, "{key}>{values}"),
            Operator::Less => write!(f, "{key}<{values}"),
        }
    }
}

impl Requirement {
    /// A requirement whose key and values are well formed.
    fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Self, SelectorError> {
        let complaints = crate::names::qualified(key);
        if !complaints.is_empty() {
            let complaint = complaints.join("; ");
            return Err(SelectorError(format!("key: Invalid value: {key:?}: {complaint}")));
        }
        if matches!(operator, Operator::Greater | Operator::Less) {
            let whole = matches!(values.as_slice(), [value] if value.parse::<i64>().is_ok());
            if !whole {
                let list = values.join(", ");
                return Err(SelectorError(format!(
                    "values[0]: Invalid value: {list:?}: for 'Gt', 'Lt' operators, the value must be an integer"
                )));
            }
        }
        for (index, value) in values.iter().enumerate() {
            let complaints = crate::names::label_value(value);
            if !complaints.is_empty() {
                let complaint = complaints.join("; ");
                return Err(SelectorError(format!(
                    "values[{index}][{key}]: Invalid value: {value:?}: {complaint}"
                )));
            }
        }
        Ok(Requirement { key: key.to_owned(), operator, values })
    }

    fn from_object(expression: &LabelSelectorRequirement) -> Result<Self, SelectorError> {
        let operator = match expression.operator.as_str() {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            other => return Err(SelectorError(format!("{other:?} is not a valid label selector operator"))),
        };
        let values = expression.values.clone().unwrap_or_default();
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => Err(SelectorError(
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty".into(),
            )),
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                let list = values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(",");
                Err(SelectorError(format!(
                    "values: Invalid value: [{list}]: values set must be empty for exists and does not exist"
                )))
            }
            _ => Requirement::new(&expression.key, operator, values),
        }
    }

    fn holds(&self, labels: &BTreeMap<String, String>) -> bool {
        let label = labels.get(&self.key);
        let listed = |value: &String| self.values.contains(value);
        match self.operator {
            Operator::In => label.is_some_and(listed),
            Operator::NotIn => !label.is_some_and(listed),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::Greater | Operator::Less => {
                let label = label.and_then(|value| value.parse::<i64>().ok());
                let bound = self.values.first().and_then(|value| value.parse::<i64>().ok());
                match (label, bound) {
                    (Some(label), Some(bound)) if self.operator == Operator::Greater => label > bound,
                    (Some(label), Some(bound)) => label < bound,
                    _ => false,
                }
            }
        }
    }
}

/// A `LabelSelector` as the reference prints it in its messages.
pub(crate) fn printed(selector: Option<&LabelSelector>) -> String {
    let Some(selector) = selector else { return "nil".to_owned() };
    let mut out = String::from("&LabelSelector{MatchLabels:map[string]string{");
    for (key, value) in selector.match_labels.iter().flatten() {
        out.push_str(&format!("{key}: {value},"));
    }
    out.push_str("},MatchExpressions:[]LabelSelectorRequirement{");
    for expression in selector.match_expressions.iter().flatten() {
        let LabelSelectorRequirement { key, operator, values } = expression;
        let values = values.clone().unwrap_or_default().join(" ");
        out.push_str(&format!(
            "LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},"
        ));
    }
    out.push_str("},}");
    out
}
