//! Where two JSON values differ: paths, what was expected, what was got.

use serde_json::{Number, Value};

/// One place where two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where, for example `status.conditions[0].reason`.
    pub path: String,
    /// What the reference has; `null` also stands for nothing.
    pub expected: Value,
    /// What Plimsoll has; `null` also stands for nothing.
    pub got: Value,
}

/// All differences in the order of the expected value, then what only `got` has.
///
/// A `null` and an absent field are the same: Kubernetes objects do not tell them apart.
pub fn diff(expected: &Value, got: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    walk(&mut String::new(), expected, got, &mut differences);
    differences
}

/// The same path with every index as `[*]`, to count alike ones together.
pub fn without_indexes(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((index, tail)) if index.bytes().all(|c| c.is_ascii_digit()) => {
                out.push_str("[*]");
                rest = tail;
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn walk(path: &mut String, expected: &Value, got: &Value, out: &mut Vec<Difference>) {
    match (expected, got) {
        (Value::Object(left), Value::Object(right)) => {
            for (key, value) in left {
                with_key(path, key, |path| walk(path, value, right.get(key).unwrap_or(&Value::Null), out));
            }
            for (key, value) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
                with_key(path, key, |path| walk(path, &Value::Null, value, out));
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for index in 0..left.len().max(right.len()) {
                let length = path.len();
                path.push_str(&format!("[{index}]"));
                let (left, right) = (left.get(index), right.get(index));
                walk(path, left.unwrap_or(&Value::Null), right.unwrap_or(&Value::Null), out);
                // An element that is there but null is not the same as a shorter list.
                if left.is_some() != right.is_some() && left.or(right) == Some(&Value::Null) {
                    push(path, left.unwrap_or(&Value::Null), right.unwrap_or(&Value::Null), out);
                }
                path.truncate(length);
            }
        }
        (Value::Number(left), Value::Number(right)) if same_number(left, right) => {}
        _ if expected == got => {}
        _ => push(path, expected, got, out),
    }
}

fn push(path: &str, expected: &Value, got: &Value, out: &mut Vec<Difference>) {
    out.push(Difference { path: path.to_owned(), expected: expected.clone(), got: got.clone() });
}

fn with_key(path: &mut String, key: &str, then: impl FnOnce(&mut String)) {
    let length = path.len();
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if !plain {
        path.push_str(&format!("[{key:?}]"));
    } else {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
    then(path);
    path.truncate(length);
}

/// `1` and `1.0` are one number; two floats are the same only if they agree to the bit (0 and -0 aside).
fn same_number(left: &Number, right: &Number) -> bool {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right || left.as_f64() == right.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(expected: Value, got: Value) -> Vec<String> {
        diff(&expected, &got).into_iter().map(|it| it.path).collect()
    }

    #[test]
    fn names_every_place_that_differs() {
        let expected = json!({"a": [1, {"b": "x"}], "c": {"d.e/f": true}, "same": null});
        let got = json!({"a": [2, {"b": "y"}, 3], "c": {"d.e/f": false}, "more": 1});
        assert_eq!(paths(expected, got), ["a[0]", "a[1].b", "a[2]", "c[\"d.e/f\"]", "more"]);
    }

    #[test]
    fn null_is_absent_in_objects_but_not_in_lists() {
        assert_eq!(paths(json!({"a": null}), json!({})), [""; 0]);
        assert_eq!(paths(json!([null]), json!([])), ["[0]"]);
        assert_eq!(paths(json!({"a": {}}), json!({})), ["a"]);
    }

    #[test]
    fn numbers_are_compared_by_value() {
        assert_eq!(paths(json!([1, 9007199254740993_i64]), json!([1.0, 9007199254740993_i64])), [""; 0]);
        assert_eq!(paths(json!([9007199254740993_i64]), json!([9007199254740992_i64])), ["[0]"]);
        assert_eq!(paths(json!([0.1]), json!([0.10000000000000002])), ["[0]"]);
    }

    #[test]
    fn alike_paths_count_together() {
        assert_eq!(without_indexes("a[0].b[12]"), "a[*].b[*]");
        assert_eq!(without_indexes("a[\"k[0]\"].b"), "a[\"k[*]\"].b");
        assert_eq!(without_indexes("a[b"), "a[b");
    }
}
