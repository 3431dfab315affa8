// One chart: axes, lines, areas, markers and the cursor, drawn as SVG at the size it has on the screen.
"use strict";
(() => {
  const { el, number, tick, timeTicks, valueTicks } = plimsoll.format;
  const { before, nearest } = plimsoll.data;
  const PAD = { left: 46, right: 14, top: 10, bottom: 22 };
  const LANE = 24;

  // The visible points, at most four for each pixel: first, lowest, highest, last. Gaps are null.
  const reduce = (times, values, from, to, x) => {
    const out = [];
    let index = from;
    while (index <= to) {
      if (values[index] === null || values[index] === undefined) {
        if (out.length && out[out.length - 1] !== null) out.push(null);
        index += 1;
        continue;
      }
      const column = Math.floor(x(times[index]));
      const first = index;
      let lowest = index;
      let highest = index;
      while (index <= to && Math.floor(x(times[index])) === column && typeof values[index] === "number") {
        if (values[index] < values[lowest]) lowest = index;
        if (values[index] > values[highest]) highest = index;
        index += 1;
      }
      const last = index - 1;
      const [sooner, later] = lowest < highest ? [lowest, highest] : [highest, lowest];
      out.push([x(times[first]), values[first]]);
      if (sooner > first && sooner < last) out.push([x(times[sooner]), values[sooner]]);
      if (later > first && later < last && later !== sooner) out.push([x(times[later]), values[later]]);
      if (last > first) out.push([x(times[last]), values[last]]);
    }
    return out;
  };

  const fixed = (value) => Math.round(value * 10) / 10;

  // A path through points; `step` holds a value until the next.
  const trace = (points, y, step) => {
    let path = "";
    let last = null;
    for (const point of points) {
      if (point === null) {
        last = null;
        continue;
      }
      const [px, py] = [fixed(point[0]), fixed(y(point[1]))];
      if (last === null) path += `M${px} ${py}`;
      else if (step) path += py === last ? `H${px}` : `H${px}V${py}`;
      else path += `L${px} ${py}`;
      last = py;
    }
    return path;
  };

  // The area between two lists of values, in pieces where the upper one is above the lower one.
  const between = (times, low, high, from, to, x, y, step) => {
    let path = "";
    let piece = [];
    const add = (px, upper, lower) => {
      const [a, b] = [piece.at(-1), piece.at(-2)];
      // In the middle of a level stretch a corner says nothing.
      if (a && b && a[1] === upper && b[1] === upper && a[2] === lower && b[2] === lower) a[0] = px;
      else piece.push([px, upper, lower]);
    };
    const close = () => {
      if (piece.length > 1) {
        path += `M${piece.map((p) => `${p[0]} ${p[1]}`).join("L")}L${piece.reverse().map((p) => `${p[0]} ${p[2]}`).join("L")}Z`;
      }
      piece = [];
    };
    for (let index = from; index <= to; index += 1) {
      const [lower, upper] = [low(index), high(index)];
      const px = fixed(x(times[index]));
      const last = piece.at(-1);
      const open = lower !== null && upper !== null && upper > lower;
      // A level lasts until the next point; a lone moment still deserves a sliver.
      if (last && (step || !open)) add(px, last[1], last[2]);
      if (open) add(px, fixed(y(upper)), fixed(y(lower)));
      else close();
    }
    close();
    return path;
  };

  class Plot {
    constructor(spec, view) {
      this.spec = spec;
      this.view = view;
      this.canvas = el("svg", { class: "plm-canvas", "aria-hidden": "true", focusable: "false" });
      this.frame = el("div", {
        class: "plm-plot", tabindex: "-1", role: "slider", "data-chart": spec.id,
        "aria-label": `${spec.title}: moment in time`, "aria-valuemin": 0, "aria-orientation": "horizontal",
      }, this.canvas);
      this.chips = new Map();
      this.legend = el("ul", { class: "plm-legend" }, this.chipNodes());
      this.root = el("section", { class: "plm-chart", "aria-label": spec.title },
        el("header", { class: "plm-chart-head" },
          el("h3", {}, spec.title, spec.unit ? el("span", { class: "plm-unit" }, spec.unit) : ""),
          this.legend),
        this.frame);
      view.listen(this);
    }

    chipNodes() {
      return this.spec.series.filter((series) => series.label).map((series) => {
        const value = el("span", { class: "plm-chip-value" });
        const shown = !this.view.hidden.has(series.id);
        const chip = el("button", {
          type: "button", class: "plm-chip", "aria-pressed": String(shown), title: `Show or hide ${series.label}`,
          style: `--c: var(${series.color})`,
          onclick: () => this.view.toggle(series.id),
        }, this.swatch(series), el("span", { class: "plm-chip-name" }, series.label), value);
        this.chips.set(series.id, { chip, value });
        return el("li", {}, chip);
      });
    }

    swatch(series) {
      const filled = ["fill", "band", "unmet"].includes(series.kind);
      const shape = filled
        ? el("rect", { x: 0, y: 2, width: 16, height: 8, rx: 2, class: `plm-${series.kind}` })
        : el("path", { d: series.kind === "dots" ? "M8 6h.01" : "M0 6h16", class: `plm-${series.kind}`, "stroke-dasharray": series.dash });
      return el("svg", { class: "plm-swatch", viewBox: "0 0 16 12", "aria-hidden": "true" }, shape);
    }

    visible() {
      return this.spec.series.filter((series) => !this.view.hidden.has(series.id));
    }

    // First and last position worth drawing, one beyond each edge.
    range(series) {
      const times = series.run.points.t;
      return [Math.max(0, before(times, this.t0)), Math.min(times.length - 1, before(times, this.t1) + 1)];
    }

    // The value at the top: of what is drawn, and of goals and bounds that are not far above it. Charts that
    // stand side by side have the same.
    top() {
      return Math.max(...(this.peers || [this]).map((plot) => plot.own));
    }

    // What this chart alone would need; all charts measure before any draws.
    measure(t0, t1) {
      Object.assign(this, { t0, t1 });
      let data = 0;
      let wish = 0;
      for (const series of this.visible()) {
        const [from, to] = this.range(series);
        let most = 0;
        for (let index = from; index <= to; index += 1) most = Math.max(most, series.high ? series.high(index) : series.y[index] || 0);
        if (series.loose) wish = Math.max(wish, most);
        else data = Math.max(data, most);
      }
      for (const rule of this.spec.rules || []) wish = Math.max(wish, rule.y);
      const reach = this.spec.reach || 2.2;
      this.own = data > 0 ? Math.max(data, Math.min(wish, data * reach)) : wish;
    }

    render(width) {
      const { t0, t1 } = this;
      this.width = width;
      this.height = this.spec.lanes ? this.spec.lanes.length * LANE + PAD.bottom + 6 : this.spec.height(width);
      const right = width - PAD.right;
      this.x = (t) => PAD.left + ((t - t0) / (t1 - t0)) * (right - PAD.left);
      this.time = (px) => t0 + ((px - PAD.left) / (right - PAD.left)) * (t1 - t0);
      this.right = right;
      this.bottom = this.height - PAD.bottom;
      this.canvas.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
      this.canvas.setAttribute("height", this.height);
      const clip = `plm-clip-${this.view.id}-${this.spec.id.replace(/[^a-z0-9]/gi, "-")}`;
      const shapes = el("g", { "clip-path": `url(#${clip})` });
      const front = el("g", {});
      const back = el("g", {});
      this.over = el("g", { class: "plm-over" });
      const defs = el("defs", {}, el("clipPath", { id: clip },
        el("rect", { x: PAD.left, y: 5, width: Math.max(0, right - PAD.left), height: this.bottom - 4 })));
      this.canvas.replaceChildren(defs, back, shapes, front, this.over);
      this.incidents(shapes);
      this.timeAxis(back);
      if (this.spec.lanes) this.lanes(shapes, front);
      else this.values(back, shapes, front);
      for (const [id, { chip }] of this.chips) chip.setAttribute("aria-pressed", String(!this.view.hidden.has(id)));
    }

    timeAxis(layer) {
      const room = this.right - PAD.left;
      for (const at of timeTicks(this.t0, this.t1, Math.max(2, Math.floor(room / (room < 500 ? 64 : 92))))) {
        const x = fixed(this.x(at));
        const anchor = x > this.right - 14 ? "end" : x < PAD.left + 6 ? "start" : "middle";
        layer.append(
          el("path", { d: `M${x} ${PAD.top - 4}V${this.bottom}`, class: "plm-grid" }),
          el("text", { x: anchor === "end" ? this.right + 8 : x, y: this.bottom + 16, class: "plm-tick", "text-anchor": anchor }, tick(at)));
      }
    }

    values(back, shapes, front) {
      const high = (this.top() || 1) * 1.06;
      const ticks = valueTicks(high, Math.max(2, Math.floor((this.bottom - PAD.top) / 30)), this.spec.whole);
      this.high = high;
      this.y = (value) => this.bottom - (Math.max(0, value) / high) * (this.bottom - PAD.top);
      for (const value of ticks) {
        const y = fixed(this.y(value));
        back.append(
          el("path", { d: `M${PAD.left} ${y}H${this.right}`, class: value === 0 ? "plm-base" : "plm-grid" }),
          el("text", { x: PAD.left - 8, y: y + 4, class: "plm-tick", "text-anchor": "end" }, number(value)));
      }
      this.goals(shapes, front);
      for (const series of this.visible()) this.draw(series, shapes, front);
    }

    draw(series, shapes, front) {
      const [from, to] = this.range(series);
      if (to < from) return;
      const times = series.run.points.t;
      const step = series.step !== false;
      let path;
      if (series.kind === "band" || series.kind === "unmet" || series.kind === "fill") {
        path = between(times, series.low, series.high, from, to, this.x, this.y, step);
      } else {
        path = trace(reduce(times, series.y, from, to, this.x), this.y, step);
      }
      shapes.append(el("path", {
        d: path, class: `plm-${series.kind}`, style: `--c: var(${series.color})`, "data-series": series.id,
        "stroke-dasharray": series.dash,
      }));
      if (series.edge) this.edgeLabel(series, to, front);
    }

    // The name of a bound at its right end; when it lies above the chart, at the top with an arrow.
    edgeLabel(series, to, front) {
      const value = series.y[Math.min(to, series.y.length - 1)];
      if (value === undefined || value === null) return;
      const above = value > this.high;
      const y = above ? PAD.top + 6 : this.y(value) - 4;
      front.append(el("text", { x: this.right - 4, y: fixed(y), class: "plm-rule-label", "text-anchor": "end" },
        `${series.edge} ${number(value)}${above ? " ↑" : ""}`));
    }

    goals(shapes, front) {
      const rules = this.spec.rules || [];
      for (const zone of this.spec.zones || []) {
        const top = this.y(Math.min(zone.high ?? this.high, this.high));
        const bottom = this.y(zone.low ?? 0);
        if (bottom - top <= 0) continue;
        shapes.append(el("rect", { x: PAD.left, y: fixed(top), width: Math.max(0, this.right - PAD.left), height: fixed(bottom - top), class: `plm-zone plm-zone-${zone.tone}` }));
        if (zone.label && bottom - top > 13) {
          front.append(el("text", { x: PAD.left + 6, y: fixed((top + bottom) / 2 + 4), class: "plm-rule-label" }, zone.label));
        }
      }
      let last = Infinity;
      for (const rule of [...rules].sort((a, b) => a.y - b.y)) {
        const above = rule.y > this.high;
        if (!above) shapes.append(el("path", { d: `M${PAD.left} ${fixed(this.y(rule.y))}H${this.right}`, class: "plm-rule" }));
        const y = above ? PAD.top + 6 : this.y(rule.y) - 4;
        if (rule.label && last - y > 12) {
          front.append(el("text", { x: this.right - 4, y: fixed(y), class: "plm-rule-label", "text-anchor": "end" }, rule.label + (above ? " ↑" : "")));
          last = y;
        }
      }
    }

    incidents(layer) {
      for (const one of this.spec.incidents || []) {
        const x = fixed(this.x(one.t));
        if (one.until === null || one.until === undefined) {
          layer.append(el("path", { d: `M${x} 0V${this.bottom}`, class: "plm-incident-line" }));
        } else {
          const width = Math.max(2, fixed(this.x(one.until)) - x);
          layer.append(el("rect", { x, y: 0, width, height: this.bottom, class: "plm-incident" }));
        }
      }
    }

    lanes(shapes, front) {
      this.spec.lanes.forEach((lane, row) => {
        const middle = row * LANE + LANE / 2 + 3;
        shapes.append(el("path", { d: `M${PAD.left} ${middle}H${this.right}`, class: "plm-grid" }));
        if (lane.incidents) this.incidentLane(lane.incidents, middle, front);
        else this.changeLane(lane, middle, shapes);
      });
    }

    changeLane(lane, middle, layer) {
      const shown = lane.run.changes.filter((change) => change.t >= this.t0 && change.t <= this.t1);
      const crowded = shown.length > (this.right - PAD.left) / 5;
      const paths = { up: "", down: "", hand: "" };
      for (const change of shown) {
        const x = fixed(this.x(change.t));
        const kind = change.by === "hand" ? "hand" : change.to > change.from ? "up" : "down";
        if (kind === "hand") paths.hand += `M${x} ${middle - 6}l5 6l-5 6l-5 -6Z`;
        else if (crowded) paths[kind] += `M${x - 0.5} ${middle}h1v${kind === "up" ? -8 : 8}h-1Z`;
        else if (kind === "up") paths.up += `M${x} ${middle - 8}l4.5 7.5h-9Z`;
        else paths.down += `M${x} ${middle + 8}l4.5 -7.5h-9Z`;
      }
      for (const [kind, path] of Object.entries(paths)) {
        if (path) layer.append(el("path", { d: path, class: `plm-change plm-change-${kind}`, "data-series": `changes-${kind}`, style: lane.color ? `--c: var(${lane.color})` : null }));
      }
    }

    // Names of incidents, as far as there is room for them.
    incidentLane(incidents, middle, layer) {
      const shown = incidents.filter((one) => one.t >= this.t0 && one.t <= this.t1);
      let free = PAD.left;
      shown.forEach((one, index) => {
        const x = this.x(one.t);
        layer.append(el("circle", { cx: fixed(x), cy: middle, r: 3.5, class: "plm-incident-dot" }));
        const next = shown[index + 1];
        const room = (next ? this.x(next.t) - 8 : this.right) - x - 8;
        const fits = (width) => Math.floor(width / 6.4);
        const full = one.what.length;
        let [left, letters] = [x + 8, Math.min(full, fits(room))];
        // At the right edge a name stands before its dot, when that is free.
        if (letters < full && !next && x - 8 - full * 6.4 > free) [left, letters] = [x - 8 - full * 6.4, full];
        if (letters < Math.min(full, 4)) return;
        const words = letters < full ? `${one.what.slice(0, letters - 1)}…` : one.what;
        layer.append(el("text", { x: fixed(left), y: middle + 4, class: "plm-rule-label" }, words));
        free = left + letters * 6.4;
      });
    }

    // Moves the cursor line and its dots, and writes the values beside the legend.
    point(t, pinned) {
      if (!this.over) return;
      this.over.replaceChildren();
      for (const series of this.spec.series.filter((one) => one.label)) {
        const place = t === null ? -1 : nearest(series.run.points.t, t);
        const entry = this.chips.get(series.id);
        if (entry) entry.value.textContent = place < 0 || !series.text ? "" : series.text(place);
      }
      if (t === null || t < this.t0 || t > this.t1) return;
      const x = fixed(this.x(t));
      this.over.append(el("path", { d: `M${x} 0V${this.bottom}`, class: pinned ? "plm-cursor plm-pinned" : "plm-cursor" }));
      if (pinned) this.over.append(el("path", { d: `M${x - 5} 0h10l-5 7Z`, class: "plm-pin" }));
      for (const series of this.visible()) {
        if (!["line", "step"].includes(series.kind) || !this.y) continue;
        const value = series.y[nearest(series.run.points.t, t)];
        if (typeof value !== "number" || value > this.high) continue;
        this.over.append(el("circle", { cx: x, cy: fixed(this.y(value)), r: 3.5, class: "plm-dot", style: `--c: var(${series.color})` }));
      }
    }

    // Shows the stretch that a drag would zoom into.
    select(from, to) {
      this.over.querySelector(".plm-select")?.remove();
      if (from === null) return;
      const [a, b] = [Math.min(from, to), Math.max(from, to)];
      const left = Math.max(PAD.left, this.x(a));
      this.over.append(el("rect", { x: left, y: 0, width: Math.max(0, Math.min(this.right, this.x(b)) - left), height: this.bottom, class: "plm-select" }));
    }

    // The change whose marker is under a pointer, if there is one.
    changeAt(event) {
      const t = this.at(event);
      const near = (5 / this.width) * (this.t1 - this.t0);
      const times = (this.spec.lanes || []).flatMap((lane) => (lane.run ? lane.run.changes.map((change) => change.t) : []));
      return times.filter((one) => Math.abs(one - t) <= near).sort((a, b) => Math.abs(a - t) - Math.abs(b - t))[0];
    }

    // The moment under a pointer.
    at(event) {
      const box = this.canvas.getBoundingClientRect();
      const px = ((event.clientX - box.left) / Math.max(1, box.width)) * this.width;
      return Math.min(this.t1, Math.max(this.t0, this.time(px)));
    }
  }

  plimsoll.Plot = Plot;
})();
