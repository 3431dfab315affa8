//! On which line a field of an object is.

use super::node::{Content, Node};
use super::{Document, yaml};

/// The line of a field such as `spec.metrics[0].type`, from 1; of the nearest one around it if it is not written.
///
/// `bytes` is the file that the document was read from.
#[must_use]
pub fn line_of(bytes: &[u8], document: &Document, field: &str) -> Option<usize> {
    let roots = yaml::read(&document.source, bytes).ok()?;
    let root = object_at(roots.get(document.index)?, document.line)?;
    let (mut node, mut line) = (root, root.at.line);
    for step in field.split(['.', '[']) {
        let next = match (step.strip_suffix(']'), &node.content) {
            (Some(index), Content::List(nodes)) => {
                index.parse::<usize>().ok().and_then(|index| nodes.get(index)).map(|it| (it, it.at.line))
            }
            (None, Content::Object(entries)) => {
                entries.iter().find(|it| it.key == step).map(|it| (&it.value, it.key_at.line))
            }
            _ => None,
        };
        let Some(next) = next else { break };
        (node, line) = next;
    }
    usize::try_from(line).ok()
}

/// The object that starts on a line: the root itself, or an item of the list that it is.
fn object_at(root: &Node, line: usize) -> Option<&Node> {
    if root.at.line as usize == line && root.field("items").is_none() {
        return Some(root);
    }
    let Content::List(items) = &root.field("items")?.content else { return None };
    items.iter().find_map(|it| object_at(it, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::read;

    const YAML: &str = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: autoscaling/v2\n  \
        kind: HorizontalPodAutoscaler\n  spec:\n    maxReplicas: 3\n    metrics:\n    - type: Resource\n      \
        resource: {name: cpu, target: {type: Utilization}}\n";

    #[test]
    fn fields_are_found_and_missing_ones_are_near_something() {
        let documents = read("a", YAML.as_bytes()).unwrap();
        let line = |field: &str| line_of(YAML.as_bytes(), &documents[0], field);
        assert_eq!(line("spec.maxReplicas"), Some(7));
        assert_eq!(line("spec.metrics[0].resource.target.averageUtilization"), Some(10));
        assert_eq!(line("spec.metrics[7]"), Some(8));
        assert_eq!(line("spec.behavior.scaleUp"), Some(6));
        assert_eq!(line(""), Some(4));
        assert_eq!(line("]][.x"), Some(4));
    }
}
