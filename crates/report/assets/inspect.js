// The panel beside the charts: what was decided at one moment, and why, in words.
"use strict";
(() => {
  const { el, number, moment, calendar } = plimsoll.format;
  const { nearest, trail, changesAt, incidentsAt } = plimsoll.data;

  const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  // From what the metrics asked for to what was written, as a short chain.
  const chain = (run, i) => {
    const p = run.points;
    const link = (label, value, tone) =>
      el("li", { class: `plm-link${tone ? ` plm-link-${tone}` : ""}` }, el("span", {}, label), el("b", {}, value));
    const known = (value) => (value === null || value === undefined ? "unknown" : String(value));
    return el("ol", { class: "plm-chain", "aria-label": "From the metrics to the decision" },
      link("asked", known(p.proposed[i])),
      link("stabilized", known(p.stabilized[i])),
      link("allowed", `${p.allowedLow[i]}–${p.allowedHigh[i]}`),
      link("wanted", String(p.spec[i]), "end"));
  };

  const figures = (run, i) => {
    const p = run.points;
    const pair = (label, value, tone) => el("div", { class: tone ? `plm-${tone}` : null }, el("dt", {}, label), el("dd", {}, value));
    return el("dl", { class: "plm-figures" },
      pair("load", `${number(p.load[i])} /s`),
      pair("capacity", `${number(p.capacity[i])} /s`),
      pair("unmet", `${number(p.unmet[i])} /s`, p.unmet[i] > 0 ? "alarm" : null),
      p.queue[i] > 0 ? pair("waiting", number(p.queue[i])) : null,
      pair("ready", `${p.ready[i]} of ${p.status[i]}`),
      run.metrics.map((info, m) => {
        const value = p.metrics[m]?.[i];
        const unit = info.unit ? ` ${info.unit}` : "";
        return pair(info.name, value === null || value === undefined ? "missing" : number(value) + unit, "wide");
      }));
  };

  const verdict = (run, i, changes) => {
    const last = changes[changes.length - 1];
    if (!last) return el("p", { class: "plm-verdict" }, plural(run.points.spec[i], "replica"));
    const way = last.to > last.from ? "up" : "down";
    const hand = last.by === "hand" ? " by hand" : "";
    return el("p", { class: `plm-verdict plm-verdict-${way}` }, `${changes[0].from} → ${last.to}`, el("small", {}, ` replicas${hand}`));
  };

  // What is said about a point. One that stands for several decisions tells of its last change, not of the
  // calm that followed; where no words were kept, the reasons of its changes have to do.
  const said = (run, i, changes) => {
    const deed = changes.findLast((change) => change.by !== "hand");
    const words = trail(run, deed?.trail) || trail(run, run.points.trail[i]);
    if (words) return words;
    return { why: changes.map((change) => change.reason).join(" ") || "No words were recorded for this moment.", steps: [] };
  };

  // When one point tells of several changes, each has its line.
  const deeds = (changes) => changes.length < 2 ? null
    : el("ul", { class: "plm-deeds" }, changes.slice(-8).map((change) => el("li", {}, `${moment(change.t)}  ${change.from} → ${change.to}`)));

  const steps = (list) => (list.length ? el("ol", { class: "plm-steps" }, list.map((sentence) => el("li", {}, sentence))) : null);

  const more = (open, ...parts) => el("details", { class: "plm-more", open }, el("summary", {}, "Step by step"), parts);

  const card = (run, index, t, several, open) => {
    const i = nearest(run.points.t, t);
    if (i < 0) return el("article", { class: "plm-card" }, el("p", {}, "Nothing recorded yet."));
    const changes = changesAt(run, i);
    const words = said(run, i, changes);
    const byHand = changes.filter((change) => change.by === "hand");
    const details = several
      ? [more(open, chain(run, i), steps(words.steps), figures(run, i))]
      : [chain(run, i), words.steps.length ? more(open, steps(words.steps)) : null, figures(run, i)];
    return el("article", { class: "plm-card", style: `--c: var(${plimsoll.charts.color(index)})`, "data-run": index },
      several ? el("h3", { class: "plm-card-name" }, run.name) : null,
      verdict(run, i, changes),
      deeds(changes),
      byHand.map((change) => el("p", { class: "plm-hand" }, `By hand: ${change.reason}`)),
      incidentsAt(run, run.points.t[i]).map((one) => el("p", { class: "plm-incident-word" }, one.what)),
      el("p", { class: "plm-why" }, words.why),
      details);
  };

  class Inspector {
    constructor(view) {
      this.view = view;
      this.open = null;
      this.title = el("h2", { class: "plm-moment" });
      this.clock = el("p", { class: "plm-clock" });
      this.cards = el("div", { class: "plm-cards" });
      this.pin = el("button", { type: "button", class: "plm-button", onclick: () => view.togglePin() }, "Pin");
      this.live = el("p", { class: "plm-hidden", role: "status", "aria-live": "polite" });
      const step = (label, way, sign) =>
        el("button", { type: "button", class: "plm-button", "aria-label": label, title: label, onclick: () => view.nextChange(way) }, sign);
      this.root = el("aside", { class: "plm-inspect", "aria-label": "The moment under the cursor" },
        el("header", { class: "plm-inspect-head" },
          el("div", {}, this.title, this.clock),
          el("div", { class: "plm-group" }, step("Previous change", -1, "‹"), step("Next change", 1, "›"), this.pin)),
        this.cards, this.live);
      // Remembers whether the reader wants the steps, from one moment to the next.
      this.cards.addEventListener("toggle", (event) => { this.open = event.target.open; }, true);
    }

    show(shown, t, pinned) {
      if (t === null) return;
      const several = shown.length > 1;
      const first = shown[0].run;
      const i = nearest(first.points.t, t);
      const at = i < 0 ? t : first.points.t[i];
      this.title.textContent = moment(at);
      this.clock.textContent = first.start ? calendar(first.start, at) : "";
      this.pin.textContent = pinned ? "Unpin" : "Pin";
      this.pin.setAttribute("aria-pressed", String(pinned));
      this.root.classList.toggle("plm-is-pinned", pinned);
      const open = this.open ?? !several;
      this.cards.replaceChildren(...shown.map(({ run, index }) => card(run, index, t, several, open)));
    }

    // One sentence for those who listen, and for the slider's value.
    sentence(shown, t) {
      return shown.map(({ run }) => {
        const i = nearest(run.points.t, t);
        if (i < 0) return "nothing recorded";
        const name = shown.length > 1 ? `${run.name}: ` : "";
        const words = said(run, i, changesAt(run, i));
        return `${name}${plural(run.points.spec[i], "replica")}. ${words.why}`;
      }).join(" ");
    }

    announce(text) {
      clearTimeout(this.later);
      this.later = setTimeout(() => { this.live.textContent = text; }, 250);
    }
  }

  plimsoll.Inspector = Inspector;
})();
