// Around the charts: the score, the comparison's table and words, the list of changes, and what was run.
"use strict";
(() => {
  const { el, moment } = plimsoll.format;
  const { color } = plimsoll.charts;
  const FIRST_ROWS = 60;

  const score = (run) =>
    el("dl", { class: "plm-score", "aria-label": "Score" }, (run.score || []).map((row) =>
      el("div", { class: `plm-tile plm-tile-${row.mood}` },
        el("dt", {}, row.label), el("dd", {}, row.value), row.detail ? el("dd", { class: "plm-detail" }, row.detail) : null)));

  // The best of a column is marked, unless all are.
  const cell = (column, index, runs) => {
    const best = column.best.includes(index) && column.best.length < runs;
    return el("td", { "data-label": column.label, class: best ? "plm-best" : null },
      el("span", {}, column.cells[index] ?? "–", best ? el("span", { class: "plm-hidden" }, " (best)") : ""));
  };

  const table = (runs, columns, select) =>
    el("table", { class: "plm-table" },
      el("caption", { class: "plm-hidden" }, "Figures of each autoscaler; the best of each column is marked"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "autoscaler"),
        columns.map((column) => el("th", { scope: "col" }, column.label)))),
      el("tbody", {}, runs.map((run, index) =>
        el("tr", {},
          el("th", { scope: "row" },
            el("button", { type: "button", class: "plm-name", style: `--c: var(${color(index)})`, title: `Look at ${run.name} alone`, onclick: () => select(index) },
              run.name, el("small", {}, run.kind))),
          columns.map((column) => cell(column, index, runs.length))))));

  const words = (list) =>
    list.length ? el("ul", { class: "plm-words", "aria-label": "Differences in words" }, list.map((one) => el("li", {}, one))) : null;

  // For a comparison its table and words; for one run its score.
  const summary = (data, select) => {
    if (data.runs.length === 1) return [score(data.runs[0])];
    if (data.columns?.length) return [words(data.words || []), table(data.runs, data.columns, select)];
    return data.runs.map((run, index) => el("div", {}, el("h3", { class: "plm-card-name", style: `--c: var(${color(index)})` }, run.name), score(run)));
  };

  const changeRow = (change, run, index, several, go) => {
    const way = change.by === "hand" ? "hand" : change.to > change.from ? "up" : "down";
    return el("tr", { onclick: () => go(change.t) },
      el("td", {}, el("button", { type: "button", class: "plm-time", onclick: (event) => { event.stopPropagation(); go(change.t); } }, moment(change.t))),
      several ? el("td", {}, el("span", { class: "plm-name", style: `--c: var(${color(index)})` }, run.name)) : null,
      el("td", { class: `plm-way plm-way-${way}` }, `${change.from} → ${change.to}`),
      el("td", {}, way === "hand" ? `By hand: ${change.reason}` : change.reason));
  };

  class ChangeList {
    constructor(view) {
      this.view = view;
      this.all = false;
      this.body = el("tbody", {});
      this.more = el("button", { type: "button", class: "plm-button", onclick: () => { this.all = true; this.render(this.shown); } });
      this.left = el("p", { class: "plm-note" });
      this.heading = el("h2", {});
      this.root = el("section", { class: "plm-changes", "aria-label": "Changes" },
        this.heading,
        el("div", { class: "plm-scroll" }, el("table", { class: "plm-change-table" }, this.body)), this.more, this.left);
    }

    render(shown) {
      this.shown = shown;
      const several = shown.length > 1;
      const rows = shown.flatMap(({ run, index }) => run.changes.map((change) => ({ change, run, index })));
      rows.sort((a, b) => a.change.t - b.change.t);
      // While a run goes on, the newest is what people look for.
      if (this.view.options.followSecs) rows.reverse();
      const kept = this.all ? rows : rows.slice(0, FIRST_ROWS);
      this.heading.textContent = rows.length === 1 ? "1 change" : `${rows.length} changes`;
      this.body.replaceChildren(...kept.map(({ change, run, index }) =>
        changeRow(change, run, index, several, (t) => this.view.pinChange(t))));
      this.more.hidden = kept.length === rows.length;
      this.more.textContent = `Show all ${rows.length}`;
      const lost = shown.reduce((sum, { run }) => sum + (run.changesLeftOut || 0), 0);
      this.left.textContent = lost ? `${lost} more changes came later and were not recorded one by one.` : "";
      this.left.hidden = !lost;
    }
  }

  const lines = (title, list) =>
    list?.length ? el("div", {}, el("h3", {}, title), el("dl", { class: "plm-lines" }, list.map((one) =>
      el("div", {}, el("dt", {}, one.label), el("dd", {}, one.value))))) : null;

  // What was run, so that a picture can be made again.
  const about = (runs) =>
    el("details", { class: "plm-about", open: true }, el("summary", {}, "What was run"),
      el("div", { class: "plm-about-grid" },
        runs.map((run) => lines(`${run.name} · ${run.kind}`, run.config)),
        runs[0] ? lines("World", [{ label: "load", value: runs[0].load }, ...(runs[0].world || []), { label: "seed", value: String(runs[0].seed) }]) : null));

  plimsoll.summary = { summary, ChangeList, about };
})();
