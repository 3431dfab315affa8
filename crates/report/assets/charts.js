// Which charts a run has, and which a comparison: what is drawn, in which colour, held to which goal.
"use strict";
(() => {
  const { number } = plimsoll.format;
  const RUN_COLORS = ["--run-1", "--run-2", "--run-3", "--run-4", "--run-5", "--run-6"];
  const RUN_DASHES = [null, "7 3", "2 3", "9 3 2 3", "4 4", "1 3"];
  const color = (index) => RUN_COLORS[index % RUN_COLORS.length];
  const dash = (index) => RUN_DASHES[index % RUN_DASHES.length];

  const tall = (width) => Math.round(Math.min(300, Math.max(170, width * 0.22)));
  const low = (width) => Math.round(Math.min(220, Math.max(130, width * 0.15)));

  // A line, with its value in words for the legend.
  const line = (run, id, label, y, paint, more) => ({
    id, run, label, y, color: paint, kind: "step", text: (i) => number(y[i]), ...more,
  });

  const loadSeries = (run) => {
    const p = run.points;
    return [
      { id: "capacity-fill", run, kind: "fill", color: "--capacity", low: () => 0, high: (i) => p.capacity[i] },
      line(run, "capacity", "capacity", p.capacity, "--capacity"),
      {
        id: "unmet", run, label: "unmet", kind: "unmet", color: "--unmet", step: false,
        low: (i) => Math.max(0, p.load[i] - p.unmet[i]), high: (i) => p.load[i], text: (i) => number(p.unmet[i]),
      },
      line(run, "load", "load", p.load, "--load", { kind: "line", step: false }),
    ];
  };

  const replicaSeries = (run) => {
    const p = run.points;
    return [
      {
        id: "allowed", run, label: "allowed", kind: "band", color: "--muted", loose: true,
        low: (i) => p.allowedLow[i], high: (i) => p.allowedHigh[i], text: (i) => `${p.allowedLow[i]}–${p.allowedHigh[i]}`,
      },
      line(run, "bounds", "min–max", p.max, "--muted", {
        kind: "bound", dash: "2 4", edge: "max", loose: true, text: (i) => `${p.min[i]}–${p.max[i]}`,
      }),
      line(run, "bounds", "", p.min, "--muted", { kind: "bound", dash: "2 4", edge: "min" }),
      { id: "ready-fill", run, kind: "fill", color: "--ready", low: () => 0, high: (i) => p.ready[i] },
      line(run, "proposed", "proposed", p.proposed, "--proposed", { kind: "thin", loose: true }),
      line(run, "stabilized", "stabilized", p.stabilized, "--stabilized", { dash: "6 3", kind: "thin", loose: true }),
      line(run, "ready", "ready", p.ready, "--ready"),
      line(run, "spec", "wanted", p.spec, "--wanted"),
    ];
  };

  // A metric's goal as lines and zones.
  const goal = (info) => {
    const unit = /^%/.test(info.unit) ? " %" : "";
    const named = (value) => number(value) + unit;
    const held = info.goal;
    if (held.type === "target") return { rules: [{ y: held.value, label: `goal ${named(held.value)}` }] };
    if (held.type === "watermarks") {
      return {
        rules: [{ y: held.low, label: `low ${named(held.low)}` }, { y: held.high, label: `high ${named(held.high)}` }],
        zones: [{ low: held.low, high: held.high, tone: "calm" }],
      };
    }
    const edges = [...new Set(held.steps.flatMap((step) => [step.lower, step.upper]).filter((edge) => typeof edge === "number"))];
    return {
      rules: edges.map((edge) => ({ y: edge, label: named(edge) })),
      zones: held.steps.map((step) => ({ low: step.lower, high: step.upper, label: step.adjustment, tone: /^-/.test(step.adjustment) ? "down" : "up" })),
    };
  };

  const metricChart = (run, index) => {
    const info = run.metrics[index];
    const values = (run.points.metrics[index] ||= []);
    return {
      id: `metric-${index}`, title: info.name, unit: info.unit, height: low, ...goal(info), incidents: run.incidents,
      series: [line(run, `metric-${index}`, "as seen", values, "--metric", { kind: "line", step: false })],
    };
  };

  const changeChart = (runs, indexOf, prefix = "") => {
    const incidents = runs[0]?.incidents || [];
    const lanes = runs.map((run) => ({ run, color: runs.length > 1 ? color(indexOf(run)) : null }));
    if (incidents.length) lanes.push({ incidents });
    const title = incidents.length ? "Changes and incidents" : "Changes";
    return { id: `${prefix}changes`, title, lanes, incidents, series: [] };
  };

  const loadChart = (run, prefix = "") => ({
    id: `${prefix}load`, title: "Load against capacity", unit: "requests/s", height: tall, series: loadSeries(run), incidents: run.incidents,
  });
  const replicaChart = (run, prefix = "") => ({
    id: `${prefix}replicas`, title: "Replicas", whole: true, reach: 1.5, height: tall, series: replicaSeries(run), incidents: run.incidents,
  });

  // Everything about one run, from top to bottom.
  const ofRun = (run, index) => [
    loadChart(run),
    replicaChart(run),
    changeChart([run], () => index),
    ...run.metrics.map((_, metric) => metricChart(run, metric)),
  ];

  // All runs in the same charts.
  const overlaid = (runs) => {
    const incidents = runs[0]?.incidents || [];
    const each = (field, more) => runs.map((run, index) =>
      line(run, `run-${index}`, run.name, run.points[field], color(index), { dash: dash(index), ...more }));
    const load = runs[0] ? [line(runs[0], "load", "load", runs[0].points.load, "--load", { kind: "line", step: false })] : [];
    return [
      { id: "replicas", title: "Replicas wanted", whole: true, height: tall, series: each("spec"), incidents },
      { id: "load", title: "Load against capacity", unit: "requests/s", height: tall, series: [...each("capacity"), ...load], incidents },
      { id: "unmet", title: "Unmet", unit: "requests/s", height: low, series: each("unmet", { kind: "line", step: false }), incidents },
      changeChart(runs, (run) => runs.indexOf(run)),
    ];
  };

  // One column of charts for each run.
  const beside = (runs) =>
    runs.map((run, index) => ({
      run, index, charts: [replicaChart(run, `${index}-`), changeChart([run], () => index, `${index}-`), loadChart(run, `${index}-`)],
    }));

  plimsoll.charts = { ofRun, overlaid, beside, color, dash };
})();
