"use strict";
(() => {
  const data = JSON.parse(document.getElementById("diagrams").textContent);
  const by = (id) => document.getElementById(id);
  const plot = by("plot");
  // Chances travel as log odds, so that one number serves both axes.
  const chance = (z) => 1 / (1 + Math.exp(-z));
  const odds = (p) => Math.log(p) - Math.log1p(-p);
  // Plotly reads some tags in text: names must stay what they are.
  const inert = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const percent = (p) => (100 * p).toFixed(p > 0.001 && p < 0.999 ? 1 : 3) + "%";
  const points = (x) => (100 * x).toFixed(2) + " points";
  const rows = (n) => (n === 1 ? "1 row" : n.toLocaleString("en", { maximumFractionDigits: 1 }) + " rows");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const TICKS = [1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];
  const FEWER = [1e-6, 1e-4, 0.01, 0.5, 0.99, 0.9999, 0.999999];
  const LIMIT = 14;

  const option = (select, value, text, group) => {
    const made = new Option(text, value);
    let parent = select;
    if (group) {
      parent = [...select.querySelectorAll("optgroup")].find((each) => each.label === group);
      if (!parent) {
        parent = document.createElement("optgroup");
        parent.label = group;
        select.append(parent);
      }
    }
    parent.append(made);
  };
  data.views.forEach((view, i) => option(by("view"), i, view.name, view.group));
  data.families.forEach((family, i) => option(by("family"), i, family.name));
  data.claims.forEach((name, i) => option(by("claims"), i, name));

  const chosen = () => ({
    view: Number(by("view").value),
    family: Number(by("family").value),
    claims: Number(by("claims").value),
    axes: document.querySelector("[name=axes]:checked").value,
    confidence: by("confidence").checked,
    consistency: by("consistency").checked,
  });

  // Along log odds, what lies beyond the limit has no place; of chances everything has.
  function within(curve, axes) {
    if (!curve || axes !== "odds") return curve;
    const kept = curve.p.map((_, i) => i).filter((i) => Math.abs(curve.p[i]) < LIMIT);
    const some = (list) => kept.map((i) => list[i]);
    const ends = (band) => band && band.map(some);
    return { ...curve, p: some(curve.p), q: some(curve.q), rows: some(curve.rows), confidence: ends(curve.confidence), consistency: ends(curve.consistency) };
  }

  const place = (axes) => (axes === "odds" ? (z) => Math.max(-LIMIT, Math.min(LIMIT, z)) : chance);

  function band(name, p, ends, at, fill) {
    const [low, high] = ends;
    const x = p.map(at);
    return {
      name, x: [...x, ...x.slice().reverse()], y: [...high.map(at), ...low.map(at).reverse()],
      fill: "toself", fillcolor: fill, line: { width: 0 }, mode: "lines", hoverinfo: "skip", type: "scatter",
    };
  }

  function whiskers(name, p, ends, at, fill) {
    const x = [], y = [];
    p.forEach((z, i) => { x.push(at(z), at(z), null); y.push(at(ends[0][i]), at(ends[1][i]), null); });
    return { name, x, y, mode: "lines", line: { color: fill, width: 9 }, hoverinfo: "skip", type: "scatter" };
  }

  function told(curve, i) {
    const p = chance(curve.p[i]);
    const parts = ["claimed " + percent(p), "happens " + percent(chance(curve.q[i]))];
    if (curve.confidence) {
      const [low, high] = curve.confidence.map((end) => percent(chance(end[i])));
      parts.push("likely " + low + " to " + high);
    }
    parts.push(rows(curve.rows[i]) + (curve.is_binned ? " in this bin" : " nearest to here"));
    return parts.join("<br>");
  }

  function traces(state, picture, curve, at) {
    const drawn = [], spread = curve.is_binned ? whiskers : band;
    if (state.consistency && curve.consistency) drawn.push(spread("what right claims would show", curve.p, curve.consistency, at, colour("right")));
    if (state.confidence && curve.confidence) drawn.push(spread("where the truth may lie", curve.p, curve.confidence, at, colour("band")));
    const ends = state.axes === "odds" ? [-LIMIT, LIMIT] : [0, 1];
    drawn.push({ name: "claimed = happens", x: ends, y: ends, mode: "lines", line: { color: colour("soft"), width: 1.2, dash: "dash" }, hoverinfo: "skip", type: "scatter" });
    if (state.claims > 0) {
      const before = within(data.pictures[0][state.view].curves[state.family], state.axes);
      if (before) drawn.push({ name: data.claims[0], x: before.p.map(at), y: before.q.map(at), mode: "lines", line: { color: colour("other"), width: 1.6, dash: "dot" }, hoverinfo: "skip", type: "scatter" });
    }
    drawn.push({
      name: inert(data.claims[state.claims]), x: curve.p.map(at), y: curve.q.map(at), type: "scatter",
      mode: curve.is_binned || curve.p.length === 1 ? "lines+markers" : "lines",
      line: { color: colour("curve"), width: 2.6 }, marker: { size: 8, color: colour("curve") },
      text: curve.p.map((_, i) => told(curve, i)), hovertemplate: "%{text}<extra></extra>",
    });
    const bars = picture[state.axes], from = bars.low.map(at), to = bars.high.map(at);
    drawn.push({
      name: "claims", type: "bar", yaxis: "y2", x: from.map((x, i) => (x + to[i]) / 2), width: from.map((x, i) => to[i] - x), y: bars.rows,
      marker: { color: colour("bars"), line: { color: colour("panel"), width: 1 } },
      text: bars.rows.map((n, i) => [rows(n), "claims of " + range(bars, i), "claimed " + percent(bars.claimed[i]), "happened " + percent(bars.happened[i])].join("<br>")),
      textposition: "none", hovertemplate: "%{text}<extra></extra>",
    });
    return drawn;
  }

  const range = (bars, i) => percent(chance(bars.low[i])) + " to " + percent(chance(bars.high[i]));

  function axis(state, bars, title) {
    const look = { title: { text: title, standoff: 8 }, gridcolor: colour("grid"), linecolor: colour("line"), zeroline: false, fixedrange: true, color: colour("soft") };
    if (state.axes === "chance") return { ...look, range: [-0.01, 1.01], dtick: 0.2, tickformat: ".0%" };
    const low = Math.max(-LIMIT, Math.min(...bars.low)), high = Math.min(LIMIT, Math.max(...bars.high));
    const fit = TICKS.filter((p) => odds(p) >= low - 0.5 && odds(p) <= high + 0.5);
    const kept = fit.length > plot.clientWidth / 90 ? fit.filter((p) => FEWER.includes(p)) : fit;
    return { ...look, range: [low - 0.3, high + 0.3], tickangle: 0, tickvals: kept.map(odds), ticktext: kept.map((p) => +(100 * p).toFixed(4) + "%") };
  }

  function draw() {
    const state = chosen();
    const view = data.views[state.view], picture = data.pictures[state.claims][state.view];
    const family = data.families[state.family], curve = within(picture.curves[state.family], state.axes);
    const at = place(state.axes);
    const x = axis(state, picture[state.axes], "claimed");
    const layout = {
      font: { family: getComputedStyle(document.body).fontFamily, size: 14, color: colour("ink") },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: false, hovermode: "closest", bargap: 0,
      margin: { l: state.axes === "odds" ? 86 : 66, r: 24, t: 10, b: 50 },
      hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: colour("ink"), size: 14 }, align: "left" },
      xaxis: { ...x, anchor: "y2" },
      yaxis: { ...axis(state, picture[state.axes], "happens"), domain: [0.24, 1] },
      yaxis2: { domain: [0, 0.19], title: { text: "rows", standoff: 8 }, fixedrange: true, color: colour("soft"), gridcolor: colour("grid"), zeroline: false, nticks: 3, rangemode: "tozero" },
    };
    if (curve) Plotly.react(plot, traces(state, picture, curve, at), layout, { displayModeBar: false, responsive: true });
    else Plotly.react(plot, [], { ...layout, annotations: [{ text: "no such curve", showarrow: false }] }, { displayModeBar: false, responsive: true });
    caption(state, view, family, picture, curve);
    list(picture[state.axes]);
  }

  function caption(state, view, family, picture, curve) {
    const said = ["Of " + rows(picture.rows) + ", claims that " + view.event + ", " + data.claims[state.claims] + ": " + percent(picture.claimed) + " is claimed on average, and it happens " + percent(picture.happened) + " of the time."];
    if (!curve) said.push(family.name + " could not be drawn here.");
    else {
      said.push(family.words + " Its mean gap to the diagonal is " + points(curve.error) + ".");
      if (state.confidence && curve.confidence) said.push("Blue: where the truth may lie, 95 times in 100.");
      if (state.consistency && curve.consistency) said.push("Grey: what right claims would show.");
      if (state.consistency && !curve.consistency) said.push("What right claims would show was not worked out for this curve.");
      if (state.claims > 0) said.push("Dotted: " + data.claims[0] + ".");
    }
    by("caption").textContent = said.join(" ");
  }

  function list(bars) {
    const body = document.querySelector("#points tbody");
    body.replaceChildren(...bars.rows.flatMap((n, i) => {
      if (!n) return [];
      const row = document.createElement("tr");
      [range(bars, i), n.toLocaleString("en", { maximumFractionDigits: 1 }), percent(bars.claimed[i]), percent(bars.happened[i])].forEach((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      });
      return [row];
    }));
  }

  by("controls").addEventListener("change", draw);
  by("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", draw);
  draw();
})();
