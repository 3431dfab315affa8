//! A quantity in a manifest: exact, and written back the way an API server would.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::quantity::{Format, Quantity, QuantityError, keep_or_rewrite};

/// A quantity together with its spelling, which is the canonical one but for a few that the original leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    quantity: Quantity,
    text: String,
}

impl Amount {
    /// Reads a quantity.
    ///
    /// # Errors
    /// When the text is no quantity.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = keep_or_rewrite(text)?.into_owned();
        Ok(Self { quantity: text.parse()?, text })
    }

    /// A number of thousandths.
    #[must_use]
    pub fn from_milli(milli: i64) -> Self {
        Self::plain(Quantity::from_milli(milli, Format::DecimalSi))
    }

    /// A whole number.
    #[must_use]
    pub fn from_value(value: i64) -> Self {
        Self::plain(Quantity::from_value(value, Format::DecimalSi))
    }

    fn plain(quantity: Quantity) -> Self {
        Self { quantity, text: quantity.to_string() }
    }

    /// In thousandths, rounded away from zero.
    #[must_use]
    pub fn milli(&self) -> i64 {
        self.quantity.milli_value()
    }

    /// In whole units, rounded away from zero.
    #[must_use]
    pub fn value(&self) -> i64 {
        self.quantity.value()
    }
}

impl Default for Amount {
    fn default() -> Self {
        Self::from_value(0)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

/// Numbers are taken too: these fields were plain numbers once, and manifests still write them so.
struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity such as \"250m\" or 12")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
        Amount::parse(text).map_err(|why| E::custom(format_args!("{text:?} is no quantity: {why}")))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
            "x-kubernetes-int-or-string": true,
        })
    }

    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Amount {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn is_written_as_an_api_server_would() {
        assert_eq!(read("\"1000m\"").to_string(), "1");
        assert_eq!(read("\"7500m\"").to_string(), "7500m");
        assert_eq!(read("\"0.25\"").to_string(), "250m");
        assert_eq!(Amount::from_milli(100).to_string(), "100m");
    }

    #[test]
    fn takes_numbers() {
        assert_eq!(read("50").value(), 50);
        assert_eq!(read("0.01").milli(), 10);
        assert_eq!(read("-3").milli(), -3000);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = serde_json::from_str::<Amount>("\"ten\"").unwrap_err().to_string();
        assert!(error.starts_with("\"ten\" is no quantity: quantities must match"), "{error}");
        let error = serde_json::from_str::<Amount>("[]").unwrap_err().to_string();
        assert!(error.contains("expected a quantity such as"), "{error}");
    }
}
