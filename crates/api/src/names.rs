//! The rules for names in Kubernetes: each gives the complaints about a string, none when it is fine.

/// At most 253 bytes of labels joined by dots: most object names.
pub fn dns_subdomain(name: &str) -> Vec<String> {
    subdomain(name, "characters")
}

/// The reference counts bytes everywhere, but calls them by two names.
fn subdomain(name: &str, unit: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if name.len() > 253 {
        complaints.push(max_length(253, unit));
    }
    if !is_subdomain(name) {
        complaints.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    complaints
}

/// At most 63 bytes of lower case letters, digits and dashes: namespaces and containers.
pub fn dns_label(name: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if name.len() > 63 {
        complaints.push(max_length(63, "characters"));
    }
    if !is_label(name) {
        complaints.push(if is_subdomain(name) {
            "must not contain dots".to_owned()
        } else {
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
             end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                .to_owned()
        });
    }
    complaints
}

/// A string that may be one segment of a URL's path.
pub fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let contained = ["/", "%"].into_iter().filter(|it| name.contains(it));
    contained.map(|it| format!("may not contain '{it}'")).collect()
}

/// A name with an optional DNS subdomain before a slash: keys of labels and annotations, finalizers, resources.
pub fn qualified(name: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut parts = name.split('/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(name), None, _) => name,
        (Some(prefix), Some(name), None) => {
            if prefix.is_empty() {
                complaints.push("prefix part must be non-empty".to_owned());
            } else {
                complaints
                    .extend(subdomain(prefix, "bytes").into_iter().map(|it| format!("prefix part {it}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {LABEL_KEY} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        complaints.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        complaints.push(format!("name part {}", max_length(63, "bytes")));
    }
    if !is_label_key(name) {
        complaints.push(format!("name part {LABEL_KEY}"));
    }
    complaints
}

/// The value of a label: may be empty.
pub fn label_value(value: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if value.len() > 63 {
        complaints.push(max_length(63, "bytes"));
    }
    if !value.is_empty() && !is_label_key(value) {
        complaints.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
             for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
    }
    complaints
}

const LABEL_KEY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

fn max_length(limit: usize, unit: &str) -> String {
    format!("must be no more than {limit} {unit}")
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_label(name: &str) -> bool {
    let ends = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    is_made_of(name, ends, |c| ends(c) || c == b'-')
}

fn is_label_key(name: &str) -> bool {
    is_made_of(name, |c| c.is_ascii_alphanumeric(), |c| c.is_ascii_alphanumeric() || b"-_.".contains(&c))
}

fn is_made_of(name: &str, ends: impl Fn(u8) -> bool, middle: impl Fn(u8) -> bool) -> bool {
    match (name.as_bytes().first(), name.as_bytes().last()) {
        (Some(first), Some(last)) => ends(*first) && ends(*last) && name.bytes().all(middle),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_shape_and_length() {
        assert_eq!(dns_subdomain("a.b-c.0"), [""; 0]);
        for bad in ["", ".", "a..b", "-a", "a-", "A", "a_b", "é"] {
            assert_eq!(dns_subdomain(bad).len(), 1, "{bad:?}");
        }
        assert_eq!(dns_subdomain(&"a".repeat(254)), ["must be no more than 253 characters"]);
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns_label(&"a.".repeat(40)).len(), 2);
        assert_eq!(path_segment("a/b%c"), ["may not contain '/'", "may not contain '%'"]);
        assert_eq!(path_segment(".."), ["may not be '..'"]);
        assert_eq!(qualified("example.com/My_Name"), [""; 0]);
        assert_eq!(qualified("/a"), ["prefix part must be non-empty"]);
        assert_eq!(qualified("a/b/c").len(), 1);
        assert_eq!(qualified("x/").len(), 2);
        assert_eq!(label_value(""), [""; 0]);
        assert_eq!(label_value("-").len(), 1);
    }
}
