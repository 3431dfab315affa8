// The page as a whole: which charts stand, which stretch of time they show, where the cursor is, and the keys.
"use strict";
(() => {
  const { el, tick, moment, duration } = plimsoll.format;
  const { build, nearest, telling, append, end } = plimsoll.data;
  const { ofRun, overlaid, beside, color } = plimsoll.charts;
  const HINT = "Drag to zoom, or Ctrl and wheel. Keys: ← → move, Page Up and Page Down go to changes, Enter pins, + − zoom, 0 shows all.";
  let mounted = 0;

  const pace = (run) => (run ? `A decision every ${duration(run.syncPeriodSecs)}, seed ${run.seed}` : "");

  class View {
    constructor(host, data, options) {
      this.id = (mounted += 1);
      this.host = host;
      this.options = options || {};
      this.data = { ...data, runs: data.runs.map(build) };
      // While a run goes on, it is as long as what has been seen of it.
      if (this.options.followSecs) for (const run of this.data.runs) run.durationSecs = run.points.t.at(-1) ?? 0;
      this.hidden = new Set();
      this.mode = this.data.runs.length > 1 ? this.options.mode || "overlaid" : 0;
      this.pinned = false;
      this.zoom = null;
      this.cursor = this.options.followSecs ? null : this.telling();
      this.plots = [];
      this.layout();
    }

    // The moment worth showing first: the most unmet load, else the largest change, else the start.
    telling() {
      let [best, worst] = [null, 0];
      for (const run of this.data.runs) {
        run.points.unmet.forEach((unmet, i) => { if (unmet > worst) [best, worst] = [run.points.t[i], unmet]; });
      }
      if (best !== null) return best;
      const size = (change) => Math.abs(change.to - change.from);
      const changes = this.data.runs.flatMap((run) => run.changes);
      return changes.reduce((most, change) => (most && size(most) >= size(change) ? most : change), null)?.t ?? 0;
    }

    shown() {
      const all = this.data.runs.map((run, index) => ({ run, index }));
      return typeof this.mode === "number" ? all.slice(this.mode, this.mode + 1) : all;
    }

    // ---- layout

    layout() {
      this.summaryBox = el("section", { class: "plm-summary", "aria-label": "Result" });
      this.stage = el("div", { class: "plm-stage" });
      this.inspector = new plimsoll.Inspector(this);
      this.changeList = new plimsoll.summary.ChangeList(this);
      this.rangeText = el("output", { class: "plm-range", "aria-live": "off" });
      this.modes = el("div", { class: "plm-group plm-modes", role: "group", "aria-label": "View" });
      const button = (label, sign, act) => el("button", { type: "button", class: "plm-button", "aria-label": label, title: label, onclick: act }, sign);
      this.reset = el("button", { type: "button", class: "plm-button", onclick: () => this.zoomTo(null) }, "Show all");
      this.pace = el("p", { class: "plm-range" }, pace(this.data.runs[0]));
      const bar = el("div", { class: "plm-bar" }, this.pace, this.modes,
        el("div", { class: "plm-group plm-zoom", role: "group", "aria-label": "Zoom" },
          this.rangeText, button("Zoom out", "−", () => this.scale(2)), button("Zoom in", "+", () => this.scale(0.5)), this.reset));
      this.aboutBox = el("div", {}, plimsoll.summary.about(this.data.runs));
      this.host.replaceChildren(this.summaryBox,
        el("div", { class: "plm-work" },
          el("div", { class: "plm-main" }, bar, this.stage, el("p", { class: "plm-hint" }, HINT)),
          this.inspector.root),
        this.changeList.root, this.aboutBox);
      this.host.classList.add("plm-host");
      this.observer = new ResizeObserver(() => this.draw());
      this.observer.observe(this.stage);
      this.printing = (on) => () => { this.paper = on; this.render(); };
      addEventListener("beforeprint", this.printing(true));
      addEventListener("afterprint", this.printing(false));
      this.refresh();
    }

    // Everything again: after a change of view or of data.
    refresh() {
      this.summaryBox.replaceChildren(...plimsoll.summary.summary(this.data, (index) => this.setMode(index)).filter(Boolean));
      this.showModes();
      this.changeList.render(this.shown());
      this.build();
    }

    showModes() {
      const { runs } = this.data;
      this.pace.hidden = runs.length > 1;
      this.modes.hidden = runs.length < 2;
      if (runs.length < 2) return;
      const entry = (mode, label, paint) =>
        el("button", { type: "button", class: "plm-button", "aria-pressed": String(this.mode === mode), style: paint ? `--c: var(${paint})` : null, onclick: () => this.setMode(mode) },
          paint ? el("i", { class: "plm-bullet" }) : "", label);
      this.modes.replaceChildren(entry("overlaid", "Overlaid"), entry("beside", "Side by side"),
        ...runs.map((run, index) => entry(index, run.name, color(index))));
    }

    build() {
      this.plots = [];
      const plot = (spec) => {
        const made = new plimsoll.Plot(spec, this);
        this.plots.push(made);
        return made.root;
      };
      const { runs } = this.data;
      this.stage.classList.toggle("plm-beside", this.mode === "beside");
      if (this.mode === "beside") {
        this.stage.replaceChildren(...beside(runs).map(({ run, index, charts }) =>
          el("div", { class: "plm-column", style: `--c: var(${color(index)})` }, el("h2", { class: "plm-card-name" }, run.name), charts.map(plot))));
        for (const one of this.plots) one.peers = this.plots.filter((other) => other.spec.title === one.spec.title);
      } else {
        const charts = this.mode === "overlaid" ? overlaid(runs) : ofRun(runs[this.mode], this.mode);
        this.stage.replaceChildren(...charts.map(plot));
      }
      this.plots[0]?.frame.setAttribute("tabindex", "0");
      this.render();
    }

    setMode(mode) {
      this.mode = mode;
      this.showModes();
      this.changeList.render(this.shown());
      this.build();
    }

    toggle(series) {
      if (!this.hidden.delete(series)) this.hidden.add(series);
      this.render();
    }

    // ---- time

    full() {
      const last = end(this.data.runs);
      const follow = this.options.followSecs;
      return follow ? [Math.max(0, last - follow), Math.max(last, follow)] : [0, last];
    }

    span() {
      return this.zoom || this.full();
    }

    zoomTo(span) {
      const [first, last] = this.full();
      if (span) {
        const least = Math.max(10, (this.data.runs[0]?.syncPeriodSecs || 15) * 2);
        const width = Math.min(last - first, Math.max(least, span[1] - span[0]));
        const from = Math.min(Math.max(first, (span[0] + span[1] - width) / 2), last - width);
        this.zoom = width >= (last - first) * 0.999 ? null : [from, from + width];
      } else {
        this.zoom = null;
      }
      this.draw();
    }

    // Zooms around the cursor, or around a given moment.
    scale(factor, around) {
      const [t0, t1] = this.span();
      let at = around ?? this.cursor;
      if (at === null || at < t0 || at > t1) at = (t0 + t1) / 2;
      this.zoomTo([at - (at - t0) * factor, at + (t1 - at) * factor]);
    }

    // ---- drawing, at most once a frame

    draw() {
      if (this.waiting) return;
      this.waiting = requestAnimationFrame(() => {
        this.waiting = null;
        this.render();
      });
    }

    render() {
      const [t0, t1] = this.span();
      // Read all sizes, then write: a read after a write would lay the page out once for each chart.
      const paper = this.mode === "beside" ? 340 : 700;
      const widths = this.plots.map((plot) => (this.paper ? paper : Math.round(plot.frame.clientWidth) || 800));
      for (const plot of this.plots) plot.measure(t0, t1);
      this.plots.forEach((plot, index) => plot.render(widths[index]));
      this.rangeText.textContent = this.zoom ? `${tick(Math.round(t0))} – ${tick(Math.round(t1))}` : "";
      this.reset.disabled = !this.zoom;
      this.point();
    }

    point() {
      const at = this.cursor ?? (this.options.followSecs ? end(this.data.runs) : null);
      const shown = this.shown();
      for (const plot of this.plots) plot.point(this.cursor, this.pinned);
      if (at === null || !shown.length) return;
      this.inspector.show(shown, at, this.pinned);
      const words = `${moment(at)}. ${this.inspector.sentence(shown, at)}`;
      for (const plot of this.plots) {
        plot.frame.setAttribute("aria-valuenow", Math.round(at));
        plot.frame.setAttribute("aria-valuemax", Math.round(end(this.data.runs)));
        plot.frame.setAttribute("aria-valuetext", words);
      }
    }

    // Puts the cursor on the point nearest to `t`.
    moveTo(t) {
      this.place(t, nearest);
    }

    place(t, choose) {
      const times = this.shown()[0]?.run.points.t || [];
      const i = choose(times, t);
      if (i < 0) return;
      this.cursor = times[i];
      this.point();
    }

    pinAt(t) {
      this.pin(t, nearest);
    }

    // To the point that tells of a change at `t`, which may be the last of several decisions.
    pinChange(t) {
      this.pin(t, telling);
    }

    pin(t, choose) {
      this.pinned = true;
      this.place(t, choose);
      const [t0, t1] = this.span();
      if (this.zoom && (this.cursor < t0 || this.cursor > t1)) this.zoomTo([this.cursor - (t1 - t0) / 2, this.cursor + (t1 - t0) / 2]);
      this.tell();
    }

    togglePin() {
      if (this.pinned) this.unpin();
      else this.pinAt(this.cursor ?? end(this.data.runs));
    }

    unpin() {
      this.pinned = false;
      if (this.options.followSecs) this.cursor = null;
      this.point();
      this.inspector.announce("Not pinned.");
    }

    tell() {
      const shown = this.shown();
      if (this.cursor !== null && shown.length) {
        this.inspector.announce(`${moment(this.cursor)}${this.pinned ? ", pinned" : ""}. ${this.inspector.sentence(shown, this.cursor)}`);
      }
    }

    // To the next change before or after the cursor, of any run on show.
    nextChange(way) {
      const from = this.cursor ?? end(this.data.runs);
      const times = this.shown().flatMap(({ run }) => run.changes.map((change) => change.t)).sort((a, b) => a - b);
      // One point may tell of several changes: those are behind us, going back.
      const points = this.shown()[0]?.run.points.t || [];
      const here = points[nearest(points, from) - 1] ?? -Infinity;
      const found = way > 0 ? times.find((t) => t > from) : times.findLast((t) => t <= here);
      if (found !== undefined) this.pinChange(found);
      else this.inspector.announce(way > 0 ? "No later change." : "No earlier change.");
    }

    // ---- what comes in while a run goes on

    append(delta) {
      const run = this.data.runs[delta.run];
      if (!run) return;
      append(run, delta, this.options.keepSecs);
      this.changesDue ||= Boolean(delta.changes?.length);
      this.scoreDue ||= Boolean(delta.score);
      this.settle();
    }

    update(fresh) {
      if (fresh.columns) this.data.columns = fresh.columns;
      if (fresh.words) this.data.words = fresh.words;
      if (fresh.runs) {
        this.data.runs = fresh.runs.map(build);
        if (typeof this.mode === "number" && this.mode >= this.data.runs.length) this.mode = 0;
        this.aboutBox.replaceChildren(plimsoll.summary.about(this.data.runs));
        this.refresh();
      } else {
        this.scoreDue = true;
        this.settle();
      }
    }

    // Data may come faster than anyone reads: tables only when they changed, and after a drawing that took long
    // three times as long a rest, so that the page stays at hand on a slow machine.
    settle() {
      if (this.settling) return;
      const rest = Math.min(1000, 3 * (this.cost || 0));
      this.settling = setTimeout(() => requestAnimationFrame(() => {
        this.settling = null;
        const start = performance.now();
        if (this.scoreDue) this.summaryBox.replaceChildren(...plimsoll.summary.summary(this.data, (index) => this.setMode(index)).filter(Boolean));
        if (this.changesDue) this.changeList.render(this.shown());
        this.scoreDue = this.changesDue = false;
        if (this.chartsDue()) this.build();
        else this.render();
        this.cost = performance.now() - start;
      }), rest);
    }

    // Incidents have a lane of their own from the first one on.
    chartsDue() {
      return this.plots.some(({ spec }) => spec.lanes && Boolean(spec.incidents.length) !== spec.lanes.some((lane) => lane.incidents));
    }

    destroy() {
      this.observer.disconnect();
      this.host.replaceChildren();
    }
  }

  plimsoll.View = View;
})();
