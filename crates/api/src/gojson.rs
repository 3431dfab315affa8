//! JSON text to the byte as Go writes it: other tools compare annotations and messages as strings.

use serde::Serialize;

/// Compact JSON with Go's escapes inside strings. What cannot be written as JSON gives `null`.
pub(crate) fn to_string(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return text;
    }
    // Outside of strings JSON has none of these, so they can be replaced wherever they are.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
