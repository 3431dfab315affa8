// The live page: listens to the cluster, turns its knobs, and shows each autoscaler's reasons as they happen.
const { el } = plimsoll.format;
const find = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const FEED = 12;

// ---- cards

const clock = (secs) => {
  const minutes = Math.floor((secs % 86400) / 60);
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
};

const cards = view.data.runs.map((run, index) => {
  const wanted = el("b", {});
  const ready = el("span", {});
  const short = el("span", { class: "demo-short" });
  const feed = el("ol", { class: "demo-feed", tabindex: "0", "aria-label": `${run.name}: changes and reasons, newest first` });
  find("#demo-cards").append(el("li", { class: "demo-card", style: `--c: var(${plimsoll.charts.color(index)})` },
    el("h2", { title: run.kind }, run.name, el("small", {}, run.kind)),
    el("p", { class: "demo-now" }, wanted, ready, short), feed));
  return { wanted, ready, short, feed };
});

const reason = (change) => {
  const sign = change.to > change.from ? "▲" : "▼";
  return el("li", {}, el("time", {}, clock(change.t)), el("b", {}, `${sign} ${change.from} → ${change.to}`), change.reason);
};

const tellReasons = (delta) => {
  const card = cards[delta.run];
  if (!card || !delta.changes.length) return;
  card.feed.prepend(...delta.changes.slice(-FEED).reverse().map(reason));
  while (card.feed.children.length > FEED) card.feed.lastChild.remove();
  card.feed.scrollTop = 0;
};

const showNow = (now, index) => {
  const card = cards[index];
  if (!card) return;
  card.wanted.textContent = `${now.wanted} pods`;
  card.ready.textContent = now.ready === now.wanted ? "all ready" : `${now.ready} ready`;
  card.short.textContent = now.short ? "too few for the load" : "";
};

// ---- knobs

const note = find("#demo-note");
const send = async (control) => {
  try {
    const answer = await fetch("/control", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(control) });
    if (!answer.ok) note.textContent = await answer.text();
  } catch {
    note.textContent = "no connection";
  }
};

const pressed = (button) => button.getAttribute("aria-pressed") === "true";
const press = (button, on) => button.setAttribute("aria-pressed", String(on));
const pause = find("[data-pause]");
pause.addEventListener("click", () => send({ pause: !pressed(pause) }));
for (const button of all("[data-speed]")) {
  button.addEventListener("click", async () => {
    await send({ speed: Number(button.dataset.speed) });
    if (pressed(pause)) send({ pause: false });
  });
}
for (const button of all("[data-fault]")) {
  const { fault } = button.dataset;
  button.addEventListener("click", () => send(fault === "rollingUpdate" ? fault : { [fault]: !pressed(button) }));
}

// The slider follows the cluster, except under the visitor's hand.
const slider = find("#demo-load");
const extra = find("#demo-extra");
let touched = -Infinity;
let sending = null;
const showExtra = (value) => { extra.textContent = `+${value} /s`; };
slider.addEventListener("input", () => {
  touched = performance.now();
  showExtra(slider.value);
  sending ??= setTimeout(() => { sending = null; send({ extraLoad: Number(slider.value) }); }, 120);
});

// How much of the past the charts show.
const STRETCHES = [[3600, "1 hour"], [10800, "3 hours"], [28800, "8 hours"], [86400, "1 day"]];
const stretch = el("select", {
  id: "demo-window", class: "plm-button", "aria-label": "How much of the past to show", title: "How much of the past to show",
  onchange: () => { view.options.followSecs = Number(stretch.value); view.zoomTo(null); },
}, STRETCHES.map(([secs, label]) => el("option", { value: secs, selected: secs === view.options.followSecs }, label)));
find(".plm-zoom").prepend(stretch);

const showState = (state) => {
  const { knobs } = state;
  find("#demo-time").textContent = `Day ${state.day}, ${clock(state.secs)}`;
  find(".demo-clock").classList.toggle("demo-hot", state.sale);
  const hours = (12 * 3600 - state.secs) / 3600;
  const ahead = hours > 0 ? `flash sale in ${hours >= 1 ? `${Math.floor(hours)} h ` : ""}${Math.floor((hours % 1) * 60)} min` : "flash sale again tomorrow";
  note.textContent = knobs.paused ? "paused" : state.sale ? "flash sale!" : ahead;
  press(pause, knobs.paused);
  for (const button of all("[data-speed]")) press(button, !knobs.paused && Number(button.dataset.speed) === knobs.speed);
  for (const button of all("[data-fault]")) press(button, button.dataset.fault === "rollingUpdate" ? state.rolling : knobs[button.dataset.fault]);
  if (performance.now() - touched > 1000) {
    slider.value = knobs.extraLoad;
    showExtra(slider.value);
  }
  state.now.forEach(showNow);
};

// ---- the stream

const hear = (message) => {
  for (const delta of message.deltas) {
    view.append(delta);
    tellReasons(delta);
  }
  if (message.table) view.update(message.table);
  showState(message.state);
};

// Whoever comes, or comes back, is told everything that is kept.
const greet = (message) => {
  const runs = JSON.parse(find("#plimsoll-data").textContent).runs;
  for (const run of runs) run.durationSecs = 0;
  view.update({ runs });
  for (const card of cards) card.feed.replaceChildren();
  hear(message);
};

let source = null;
const listen = () => {
  source = new EventSource("/events");
  source.addEventListener("hello", (event) => greet(JSON.parse(event.data)));
  source.addEventListener("news", (event) => hear(JSON.parse(event.data)));
  source.addEventListener("error", () => { note.textContent = "no connection, trying again …"; });
};

// A page that nobody sees needs no stream, and a browser opens only a few of them at a time.
const mind = () => {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (!source) {
    listen();
  }
};
document.addEventListener("visibilitychange", mind);
mind();
