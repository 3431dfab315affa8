// Pointer, wheel and keys on the charts, and the choice between light and dark.
"use strict";
(() => {
  const { nearest, end } = plimsoll.data;
  const FAR = 6;

  // Hovering moves the cursor, a click pins it, a drag zooms; a finger scrubs.
  plimsoll.View.prototype.listen = function listen(plot) {
    const { frame } = plot;
    let start = null;
    frame.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = { x: event.clientX, t: plot.at(event), drag: false };
      frame.setPointerCapture(event.pointerId);
    });
    frame.addEventListener("pointermove", (event) => {
      const t = plot.at(event);
      if (start && event.pointerType === "mouse" && Math.abs(event.clientX - start.x) > FAR) start.drag = true;
      if (start?.drag) plot.select(start.t, t);
      else if (!this.pinned || (start && event.pointerType !== "mouse")) this.moveTo(t);
    });
    frame.addEventListener("pointerup", (event) => {
      const from = start;
      start = null;
      if (!from) return;
      if (from.drag) this.zoomTo([Math.min(from.t, plot.at(event)), Math.max(from.t, plot.at(event))]);
      else if (plot.changeAt(event) !== undefined) this.pinChange(plot.changeAt(event));
      else this.pinAt(plot.at(event));
    });
    frame.addEventListener("pointercancel", () => {
      start = null;
      plot.select(null);
    });
    frame.addEventListener("pointerleave", () => {
      if (!this.pinned && !start && this.options.followSecs) {
        this.cursor = null;
        this.point();
      }
    });
    frame.addEventListener("dblclick", () => this.zoomTo(null));
    frame.addEventListener("wheel", (event) => wheel(this, plot, event), { passive: false });
    frame.addEventListener("keydown", (event) => {
      if (press(this, event)) event.preventDefault();
    });
  };

  // With Ctrl or ⌘ (which is also what a pinch is) the wheel zooms; sideways it moves a zoomed chart.
  const wheel = (view, plot, event) => {
    const [t0, t1] = view.span();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      view.scale(2 ** (Math.sign(event.deltaY) * Math.min(1, Math.abs(event.deltaY) / 100)), plot.at(event));
    } else if (view.zoom && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const by = (event.deltaX / plot.width) * (t1 - t0);
      const [first, last] = view.full();
      const moved = Math.min(Math.max(by, first - t0), last - t1);
      view.zoomTo([t0 + moved, t1 + moved]);
    }
  };

  // The cursor by `count` points; the stretch in view follows it.
  const move = (view, count) => {
    const times = view.shown()[0]?.run.points.t || [];
    if (!times.length) return;
    const here = nearest(times, view.cursor ?? end(view.data.runs));
    const to = times[Math.min(times.length - 1, Math.max(0, here + count))];
    if (view.pinned) view.pinAt(to);
    else {
      view.moveTo(to);
      follow(view);
      view.tell();
    }
  };

  const follow = (view) => {
    const [t0, t1] = view.span();
    const half = (t1 - t0) / 2;
    if (view.zoom && (view.cursor < t0 || view.cursor > t1)) view.zoomTo([view.cursor - half, view.cursor + half]);
  };

  // Whether the key meant something here.
  const press = (view, event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const stride = event.shiftKey ? 10 : 1;
    const keys = {
      ArrowLeft: () => move(view, -stride),
      ArrowRight: () => move(view, stride),
      Home: () => move(view, -Infinity),
      End: () => move(view, Infinity),
      PageUp: () => view.nextChange(-1),
      PageDown: () => view.nextChange(1),
      Enter: () => view.togglePin(),
      " ": () => view.togglePin(),
      Escape: () => (view.pinned ? view.unpin() : view.zoomTo(null)),
      "+": () => view.scale(0.5),
      "=": () => view.scale(0.5),
      "-": () => view.scale(2),
      0: () => view.zoomTo(null),
    };
    if (!(event.key in keys)) return false;
    keys[event.key]();
    return true;
  };

  // Automatic, light, dark; kept for the next page where the browser lets a page keep things.
  const NEXT = { auto: "light", light: "dark", dark: "auto" };
  const remember = (choice) => {
    try {
      if (choice === undefined) return localStorage.getItem("plimsoll-theme");
      localStorage.setItem("plimsoll-theme", choice);
    } catch {
      // A file opened from disk may not keep anything; the choice then lasts as long as the page.
    }
    return null;
  };
  const theme = (button) => {
    let choice = remember() in NEXT ? remember() : "auto";
    const apply = () => {
      if (choice === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = choice;
      button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[choice];
      button.setAttribute("aria-label", `Colours: ${choice}. Change`);
    };
    button.addEventListener("click", () => {
      choice = NEXT[choice];
      remember(choice);
      apply();
    });
    apply();
  };

  // The door: draws `data` into `element`; the view that comes back takes append(delta) and update(data).
  plimsoll.mount = (element, data, options) => {
    document.querySelectorAll("[data-plimsoll-theme]:not([aria-label])").forEach(theme);
    return new plimsoll.View(element, data, options);
  };
})();
