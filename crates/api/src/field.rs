//! Field paths and the errors about them, worded as every Kubernetes API server words them.

use std::fmt;

/// Where in an object: `spec.metrics[0].type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    /// A field of the object itself.
    pub fn root(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// A field of what is here.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        Self(format!("{}.{name}", self.0))
    }

    /// An element of the list that is here.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// The value must be given.
    pub fn required(&self, detail: &str) -> FieldError {
        self.error(ErrorKind::Required, None, detail)
    }

    /// The value is given, but may not be.
    pub fn forbidden(&self, detail: &str) -> FieldError {
        self.error(ErrorKind::Forbidden, None, detail)
    }

    /// The value takes more room than there is.
    pub fn too_long(&self, limit_bytes: usize) -> FieldError {
        self.error(ErrorKind::TooLong, None, &format!("may not be more than {limit_bytes} bytes"))
    }

    /// The value is wrong.
    pub fn invalid(&self, value: impl Into<BadValue>, detail: &str) -> FieldError {
        self.error(ErrorKind::Invalid, Some(value.into()), detail)
    }

    /// The value is none of those there are.
    pub fn not_supported(&self, value: impl Into<BadValue>, supported: &[&str]) -> FieldError {
        let supported: Vec<String> = supported.iter().map(|it| quote(it)).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.error(ErrorKind::NotSupported, Some(value.into()), &detail)
    }

    fn error(&self, kind: ErrorKind, value: Option<BadValue>, detail: &str) -> FieldError {
        FieldError { kind, field: self.0.clone(), value: value.map(|it| it.0), detail: detail.to_owned() }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A value as it is shown in an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadValue(String);

impl BadValue {
    /// A value shown as JSON: what is neither a plain string nor a plain number upstream.
    pub fn json(value: &impl serde::Serialize) -> Self {
        Self(crate::gojson::to_string(value))
    }
}

impl From<&str> for BadValue {
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl From<i64> for BadValue {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

impl From<i32> for BadValue {
    fn from(number: i32) -> Self {
        Self(number.to_string())
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// It is missing.
    Required,
    /// Its value is wrong.
    Invalid,
    /// Its value is none of those there are.
    NotSupported,
    /// It may not be given here.
    Forbidden,
    /// It takes more room than there is.
    TooLong,
}

impl ErrorKind {
    /// The name machines match on, for example `FieldValueInvalid`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
        }
    }
}

/// One thing that is wrong with an object. Its `Display` is the full message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, for example `spec.maxReplicas`.
    pub field: String,
    /// The value there, as shown in the message.
    pub value: Option<String>,
    /// What would be right; may be empty.
    pub detail: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.kind.words())?;
        if let Some(value) = &self.value {
            write!(f, ": {value}")?;
        }
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

impl std::error::Error for FieldError {}

/// A string in double quotes as Go prints it, which is how every message shows strings.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(c),
            '\0'..='\x7f' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            _ if is_printable(c) => out.push(c),
            _ if u32::from(c) < 0x1_0000 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

fn is_printable(c: char) -> bool {
    // After a letter, so that a combining mark counts as printable.
    !format!("a{c}").escape_debug().any(|it| it == '{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_like_an_api_server_s() {
        let path = FieldPath::root("spec").child("metrics").index(2).child("type");
        assert_eq!(path.required("").to_string(), "spec.metrics[2].type: Required value");
        assert_eq!(
            path.not_supported("x", &["A", "B"]).to_string(),
            "spec.metrics[2].type: Unsupported value: \"x\": supported values: \"A\", \"B\""
        );
        assert_eq!(path.invalid(-3, "no").to_string(), "spec.metrics[2].type: Invalid value: -3: no");
        assert_eq!(path.forbidden("no").to_string(), "spec.metrics[2].type: Forbidden: no");
        assert_eq!(
            path.too_long(63).to_string(),
            "spec.metrics[2].type: Too long: may not be more than 63 bytes"
        );
    }

    #[test]
    fn strings_are_quoted_as_go_does() {
        assert_eq!(quote("a\"b\\c\n\u{1}é\u{feff}\u{301}'"), "\"a\\\"b\\\\c\\n\\x01é\\ufeff\u{301}'\"");
        assert_eq!(BadValue::json(&"<&>").0, "\"\\u003c\\u0026\\u003e\"");
    }
}
