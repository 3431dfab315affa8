// Numbers, times and ticks in words. The same spelling as the tables that Plimsoll prints.
"use strict";
window.plimsoll = {};
(() => {
  const trim = (value, digits) => {
    const text = value.toFixed(digits);
    const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
    return short === "-0" ? "0" : short;
  };

  const grouped = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

  const number = (value) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 1e9) return trim(value / 1e9, 1) + " G";
    if (size >= 1e6) return trim(value / 1e6, 1) + " M";
    if (size >= 100) return grouped(value);
    if (size >= 10) return trim(value, 1);
    return trim(value, size >= 0.01 || size === 0 ? 2 : 4);
  };

  const parts = (secs) => {
    const total = Math.max(0, Math.round(secs));
    return [
      [Math.floor(total / 86400), "d"],
      [Math.floor((total % 86400) / 3600), "h"],
      [Math.floor((total % 3600) / 60), "m"],
      [total % 60, "s"],
    ];
  };

  // An axis label: 0, 45s, 15m, 1h 30m, 2d 6h.
  const tick = (secs) =>
    parts(secs)
      .filter(([n]) => n !== 0)
      .map(([n, unit]) => n + unit)
      .join("\u00a0") || "0";

  // A length of time in its two largest units: 2 min 15 s.
  const duration = (secs) => {
    const words = { d: "d", h: "h", m: "min", s: "s" };
    const found = parts(secs);
    const first = found.findIndex(([n]) => n !== 0);
    if (first < 0) return "0 s";
    return found
      .slice(first, first + 2)
      .filter(([n]) => n !== 0)
      .map(([n, unit]) => `${n} ${words[unit]}`)
      .join(" ");
  };

  // A moment since the start: 00:12:30, 2d 06:00:00.
  const moment = (secs) => {
    const [days, hours, minutes, seconds] = parts(secs).map(([n]) => n);
    const clock = [hours, minutes, seconds].map((n) => String(n).padStart(2, "0")).join(":");
    return days ? `${days}d ${clock}` : clock;
  };

  // The same moment on the run's own calendar, in UTC.
  const calendar = (start, secs) => {
    const at = new Date(Date.parse(start) + secs * 1000);
    if (Number.isNaN(at.getTime())) return "";
    return at.toLocaleString("en-GB", {
      weekday: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone: "UTC",
    }) + " UTC";
  };

  const TIME_STEPS = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000,
    604800, 1209600, 2592000, 7776000, 15552000, 31536000,
  ];

  const multiples = (from, to, step) => {
    const out = [];
    if (!(step > 0) || !Number.isFinite(to - from)) return out;
    const last = Math.floor(to / step + 1e-9);
    for (let n = Math.ceil(from / step - 1e-9); n <= last && out.length < 200; n += 1) out.push(n * step);
    return out;
  };

  const timeTicks = (from, to, count) => {
    const wanted = (to - from) / Math.max(1, count);
    return multiples(from, to, TIME_STEPS.find((step) => step >= wanted) || wanted);
  };

  // Values for about `count` ticks from 0 up to `high` itself, which need not be one of them.
  const valueTicks = (high, count, whole) => {
    const rough = high / Math.max(1, count);
    const base = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * base).find((s) => s >= rough * 0.999) || rough;
    return multiples(0, high, whole ? Math.max(1, Math.ceil(step)) : step);
  };

  // An element with attributes and children; text is always text, never markup.
  const SVG = new Set(["svg", "g", "path", "rect", "line", "text", "circle", "title", "clipPath", "defs"]);
  const el = (tag, attributes, ...children) => {
    const node = SVG.has(tag)
      ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== "") node.append(child);
    }
    return node;
  };

  plimsoll.format = { number, grouped, tick, duration, moment, calendar, timeTicks, valueTicks, el };
})();
