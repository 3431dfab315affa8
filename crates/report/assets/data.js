// Runs as the charts read them: columns of numbers, words by position, and what comes in while a run goes on.
"use strict";
(() => {
  const decode = (trails) =>
    trails.rows.map((row) => row.map((place) => trails.sentences[place]));

  const build = (raw) => ({
    ...raw,
    words: decode(raw.trails || { sentences: [], rows: [] }),
    // Words older than what is kept are dropped; positions count from the first ever.
    wordsFrom: 0,
    points: raw.points,
    changes: raw.changes || [],
    incidents: raw.incidents || [],
  });

  // The position of the last point at or before `t`; -1 when there is none.
  const before = (times, t) => {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };

  const nearest = (times, t) => {
    const left = before(times, t);
    if (left < 0) return times.length ? 0 : -1;
    const right = left + 1;
    return right < times.length && times[right] - t < t - times[left] ? right : left;
  };

  // The first point that knows of something at `t`: a point tells of all that happened since the one before.
  const telling = (times, t) => {
    const at = before(times, t);
    return times[at] === t ? at : Math.min(at + 1, times.length - 1);
  };

  // What was said at a point: { why, steps }, or null when no words were kept.
  const trail = (run, position) => {
    if (position === null || position === undefined) return null;
    const said = run.words[position - run.wordsFrom];
    return said ? { why: said[0], steps: said.slice(1) } : null;
  };

  // Changes after the point before `index` up to the point itself.
  const changesAt = (run, index) => {
    const from = index > 0 ? run.points.t[index - 1] : -Infinity;
    const to = run.points.t[index];
    return run.changes.filter((change) => change.t > from && change.t <= to);
  };

  const incidentsAt = (run, t) =>
    run.incidents.filter((one) => {
      const lasts = one.until === null || one.until === undefined ? run.syncPeriodSecs || 15 : one.until - one.t;
      return t >= one.t && t <= one.t + lasts;
    });

  const append = (run, delta, keep) => {
    const into = run.points;
    const fresh = delta.points || { t: [] };
    for (const [name, values] of Object.entries(fresh)) {
      if (name === "metrics") values.forEach((list, index) => (into.metrics[index] ||= []).push(...list));
      else into[name].push(...values);
    }
    if (delta.trails) {
      // A page that comes late starts with what is still kept.
      if (!run.words.length) run.wordsFrom = delta.trailsFrom;
      // A gap (a page that slept) is filled with silence, so that positions stay true.
      while (run.wordsFrom + run.words.length < delta.trailsFrom) run.words.push(null);
      run.words.push(...decode(delta.trails));
    }
    run.changes.push(...(delta.changes || []));
    // In place: the charts hold this very list.
    if (delta.incidents) run.incidents.splice(0, run.incidents.length, ...delta.incidents);
    if (delta.score) run.score = delta.score;
    const end = into.t.length ? into.t[into.t.length - 1] : 0;
    run.durationSecs = end;
    if (keep) forget(run, end - keep);
  };

  // Drops what is older than `since`, once it is worth the copying.
  const forget = (run, since) => {
    const gone = before(run.points.t, since);
    if (gone < 500) return;
    for (const [name, values] of Object.entries(run.points)) {
      if (name === "metrics") values.forEach((list) => list.splice(0, gone));
      else values.splice(0, gone);
    }
    run.changes = run.changes.filter((change) => change.t >= since);
    const oldest = run.points.trail.find((place) => place !== null);
    if (oldest !== undefined && oldest > run.wordsFrom) {
      run.words.splice(0, oldest - run.wordsFrom);
      run.wordsFrom = oldest;
    }
  };

  const end = (runs) => Math.max(1, ...runs.map((run) => run.durationSecs || 0));

  plimsoll.data = { build, before, nearest, telling, trail, changesAt, incidentsAt, append, end };
})();
