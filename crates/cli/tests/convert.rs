//! `plimsoll convert`: what comes out, what is said, and what is refused.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::process::{Command, Output};

const WPA: &str = "apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata: {name: billing, namespace: prod}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: billing}
  minReplicas: 4
  maxReplicas: 9
  tolerateZero: true
  metrics:
  - type: External
    external:
      metricName: request_duration
      metricSelector: {matchLabels: {service: billing}}
      lowWatermark: 200m
      highWatermark: 400m
";

fn convert(name: &str, text: &str, to: &str) -> (Output, String) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["convert", path.to_str().unwrap(), "--to", to])
        .output()
        .unwrap();
    (output, path.display().to_string())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_wpa_becomes_an_autoscaler_and_every_difference_is_said_twice() {
    let (output, path) = convert("wpa.yaml", WPA, "autoscaler");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stdout.contains("\napiVersion: plimsoll.dev/v1alpha1\nkind: Autoscaler\n"), "{stdout}");
    assert_eq!(stderr.lines().count(), 3, "{stderr}");
    for line in stderr.lines() {
        let said = line.strip_prefix(&format!("{path}:1: ")).unwrap();
        assert!(stdout.contains(&format!("# - {said}\n")), "{said} is missing in\n{stdout}");
    }
    let (again, _) = convert("back.yaml", &stdout, "hpa");
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains("kind: HorizontalPodAutoscaler"));
}

#[test]
fn nothing_to_convert_and_nonsense_are_refused_in_one_line() {
    let (output, path) = convert("none.yaml", "apiVersion: v1\nkind: ConfigMap\n", "hpa");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        format!(
            "plimsoll: {path}: there is nothing to convert in it: give an Autoscaler or a WatermarkPodAutoscaler\n"
        )
    );
    let (output, path) = convert("bad.yaml", &WPA.replace("maxReplicas: 9", "maxReplicas: 3"), "autoscaler");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        format!(
            "plimsoll: {path}:1: watermark pod autoscaler requires the minimum number of replicas to be configured and \
             inferior to the maximum\n"
        )
    );
}
