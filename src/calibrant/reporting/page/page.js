"use strict";
(() => {
  const data = JSON.parse(document.getElementById("diagrams").textContent);
  const by = (id) => document.getElementById(id);
  const plot = by("plot"), tip = by("tip");
  // Chances travel as log odds, so that one number serves both axes.
  const chance = (z) => 1 / (1 + Math.exp(-z));
  const odds = (p) => Math.log(p) - Math.log1p(-p);
  const percent = (p) => (100 * p).toFixed(p === 0 || p === 1 ? 0 : p > 0.001 && p < 0.999 ? 1 : 3) + "%";
  const points = (x) => (100 * x).toFixed(2) + " points";
  const number = (n) => n.toLocaleString("en", { maximumFractionDigits: 1 });
  const rows = (n) => (n === 1 ? "1 row" : number(n) + " rows");
  const TICKS = [1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];
  const FEWER = [1e-6, 1e-4, 0.01, 0.5, 0.99, 0.9999, 0.999999];
  const EVEN = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const LIMIT = 14;
  const BARS = 64, GAP = 10, TOP = 8, RIGHT = 20, BOTTOM = 40;

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

  // Of rare events the chances all lie in a corner, and only log odds part them.
  const bars_of_all = data.pictures[0][0].chance;
  const is_rare = bars_of_all.rows.every((n, i) => !n || chance(bars_of_all.high[i]) < 0.26);
  document.querySelector("[value=odds]").checked = is_rare;

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

  function mark(parent, tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  // Where chances lie on the paper: a square above, bars below it along the same axis.
  function paper(state, bars) {
    const width = Math.max(280, plot.clientWidth);
    const left = state.axes === "odds" ? 66 : 44;
    const side = width - left - RIGHT;
    let low = 0, high = 1, value = chance, ticks = EVEN;
    if (state.axes === "odds") {
      low = Math.max(-LIMIT, Math.min(...bars.low)) - 0.3;
      high = Math.min(LIMIT, Math.max(...bars.high)) + 0.3;
      value = (z) => Math.max(low, Math.min(high, z));
      const fit = TICKS.filter((p) => odds(p) >= low && odds(p) <= high);
      ticks = fit.length > side / 60 ? fit.filter((p) => FEWER.includes(p)) : fit;
    }
    const at = (z) => (value(z) - low) / (high - low);
    const x = (z) => left + side * at(z);
    const y = (z) => TOP + side * (1 - at(z));
    const foot = TOP + side + GAP + BARS;
    const shown = ticks.map((p) => [p === 0 ? -40 : p === 1 ? 40 : odds(p), +(100 * p).toFixed(4) + "%"]);
    return { width, left, side, x, y, foot, height: foot + BOTTOM, ticks: shown };
  }

  const line = (p, q, on) => p.map((z, i) => (i ? "L" : "M") + on.x(z).toFixed(1) + " " + on.y(q[i]).toFixed(1)).join("");

  function area(parent, kind, curve, ends, on) {
    const [low, high] = ends;
    if (!curve.is_binned && curve.p.length > 1) {
      const back = [...curve.p.keys()].reverse();
      const d = line(curve.p, high, on) + line(back.map((i) => curve.p[i]), back.map((i) => low[i]), on).replace("M", "L") + "Z";
      mark(parent, "path", { class: kind, d });
      return;
    }
    curve.p.forEach((z, i) => {
      const top = on.y(high[i]);
      mark(parent, "rect", { class: kind, x: on.x(z) - 5, y: top, width: 10, height: Math.max(1, on.y(low[i]) - top) });
    });
  }

  function axes(svg, on) {
    mark(svg, "rect", { class: "frame", x: on.left, y: TOP, width: on.side, height: on.side });
    for (const [z, text] of on.ticks) {
      const x = on.x(z), y = on.y(z);
      mark(svg, "path", { class: "grid", d: `M${x} ${TOP}V${TOP + on.side}M${on.left} ${y}H${on.left + on.side}` });
      mark(svg, "text", { class: "tick", x, y: on.foot + 15, "text-anchor": "middle" }, text);
      mark(svg, "text", { class: "tick", x: on.left - 6, y: y + 4, "text-anchor": "end" }, text);
    }
    mark(svg, "text", { class: "said", x: on.left + on.side / 2, y: on.foot + 34, "text-anchor": "middle" }, "claimed");
    const middle = TOP + on.side / 2;
    mark(svg, "text", { class: "said", x: 11, y: middle, "text-anchor": "middle", transform: `rotate(-90 11 ${middle})` }, "happens");
    mark(svg, "text", { class: "said", x: 11, y: on.foot - BARS / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${on.foot - BARS / 2})` }, "rows");
  }

  function histogram(svg, bars, on) {
    const most = Math.max(...bars.rows);
    bars.rows.forEach((n, i) => {
      const x = on.x(bars.low[i]), tall = n ? Math.max(1, (BARS * n) / most) : 0;
      mark(svg, "rect", { class: "bars", x, y: on.foot - tall, width: Math.max(0.5, on.x(bars.high[i]) - x), height: tall });
    });
    mark(svg, "path", { class: "grid", d: `M${on.left} ${on.foot}H${on.left + on.side}` });
    mark(svg, "text", { class: "tick", x: on.left - 6, y: on.foot - BARS + 8, "text-anchor": "end" }, short(most));
  }

  const short = (n) => (n < 10000 ? number(n) : n.toLocaleString("en", { notation: "compact" }));

  // The legend lies where the curve does not: above the diagonal if most claims are too high.
  function legend(svg, items, is_above, on) {
    const letters = Math.max(...items.map(([, text]) => text.length));
    const width = Math.min(on.side - 8, 40 + 6.4 * letters), height = 18 * items.length + 8;
    const x = is_above ? on.left + 5 : on.left + on.side - width - 5;
    const y = is_above ? TOP + 5 : TOP + on.side - height - 5;
    const group = mark(svg, "g", { class: "legend" });
    mark(group, "rect", { class: "back", x, y, width, height, rx: 4 });
    items.forEach(([kind, text], i) => {
      const middle = y + 13 + 18 * i;
      const is_area = kind === "confidence" || kind === "consistency";
      if (is_area) mark(group, "rect", { class: kind, x: x + 6, y: middle - 5, width: 22, height: 10 });
      else mark(group, "path", { class: kind, d: `M${x + 6} ${middle}h22` });
      mark(group, "text", { class: "said", x: x + 34, y: middle + 4 }, text);
    });
  }

  // With maps the picture shows before and after: what was not chosen is dotted.
  const beside = (state) => (state.claims > 0 ? 0 : data.best);

  function curves(svg, state, picture, curve, on) {
    const items = [["curve", data.claims[state.claims]]];
    const other = beside(state);
    const dotted = other !== null && within(data.pictures[other][state.view].curves[state.family], state.axes);
    if (state.consistency && curve.consistency) area(svg, "consistency", curve, curve.consistency, on);
    if (state.confidence && curve.confidence) area(svg, "confidence", curve, curve.confidence, on);
    mark(svg, "path", { class: "diagonal", d: `M${on.left} ${TOP + on.side}L${on.left + on.side} ${TOP}` });
    if (dotted) {
      mark(svg, "path", { class: "other", d: line(dotted.p, dotted.q, on) });
      items.push(["other", data.claims[other]]);
    }
    mark(svg, "path", { class: "curve", d: line(curve.p, curve.q, on) });
    if (curve.is_binned || curve.p.length === 1) curve.p.forEach((z, i) => mark(svg, "circle", { class: "dot", cx: on.x(z), cy: on.y(curve.q[i]), r: 4.5 }));
    if (state.confidence && curve.confidence) items.push(["confidence", "where the truth may lie"]);
    if (state.consistency && curve.consistency) items.push(["consistency", "what right claims would show"]);
    legend(svg, items, picture.claimed >= picture.happened, on);
  }

  let shown = null;

  function draw() {
    const state = chosen();
    const view = data.views[state.view], picture = data.pictures[state.claims][state.view];
    const family = data.families[state.family], curve = within(picture.curves[state.family], state.axes);
    const bars = picture[state.axes], on = paper(state, bars);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `0 0 ${on.width} ${on.height}`);
    axes(svg, on);
    histogram(svg, bars, on);
    if (curve) curves(svg, state, picture, curve, on);
    else mark(svg, "text", { x: on.left + on.side / 2, y: TOP + on.side / 2, "text-anchor": "middle" }, "no such curve");
    const dot = mark(svg, "circle", { class: "dot", r: 5, visibility: "hidden" });
    plot.style.aspectRatio = `${on.width} / ${on.height}`;
    plot.replaceChildren(svg);
    shown = { svg, on, curve, bars, dot };
    caption(state, view, family, picture, curve);
    list(bars);
  }

  function told(curve, i) {
    const parts = ["claimed " + percent(chance(curve.p[i])), "happens " + percent(chance(curve.q[i]))];
    if (curve.confidence) {
      const [low, high] = curve.confidence.map((end) => percent(chance(end[i])));
      parts.push("likely " + low + " to " + high);
    }
    parts.push(rows(curve.rows[i]) + (curve.is_binned ? " in this bin" : " nearest to here"));
    return parts.join("\n");
  }

  const range = (bars, i) => percent(chance(bars.low[i])) + " to " + percent(chance(bars.high[i]));
  const told_bar = (bars, i) => [rows(bars.rows[i]), "claims of " + range(bars, i), "claimed " + percent(bars.claimed[i]), "happened " + percent(bars.happened[i])].join("\n");

  function point(event) {
    const { svg, on, curve, bars, dot } = shown;
    const box = svg.getBoundingClientRect(), scale = on.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    const is_bar = y > TOP + on.side;
    let text = "";
    if (is_bar) {
      const i = bars.low.findIndex((z, j) => on.x(z) <= x && x < on.x(bars.high[j]));
      if (i >= 0 && bars.rows[i]) text = told_bar(bars, i);
    } else if (curve) {
      const far = curve.p.map((z) => Math.abs(on.x(z) - x));
      const i = far.indexOf(Math.min(...far));
      text = told(curve, i);
      dot.setAttribute("cx", on.x(curve.p[i]));
      dot.setAttribute("cy", on.y(curve.q[i]));
    }
    dot.setAttribute("visibility", text && !is_bar ? "visible" : "hidden");
    tip.hidden = !text;
    tip.textContent = text;
    tip.style.left = Math.max(0, Math.min(box.width - tip.offsetWidth, x / scale + 14)) + "px";
    tip.style.top = Math.max(0, y / scale - tip.offsetHeight - 10) + "px";
  }

  function leave() {
    tip.hidden = true;
    shown.dot.setAttribute("visibility", "hidden");
  }

  function caption(state, view, family, picture, curve) {
    const said = [rows(picture.rows) + (picture.rows === 1 ? " claims that " : " claim that ") + view.event + ", " + percent(picture.claimed) + " on average; it happens " + percent(picture.happened) + " of the time (" + data.claims[state.claims] + ")."];
    if (curve) said.push(family.words + " Mean gap to the diagonal: " + points(curve.error) + ".");
    else said.push(family.name + " could not be drawn here.");
    if (state.axes === "odds") said.push("Both axes go by log odds, so that small chances have room.");
    if (curve && state.consistency && !curve.consistency) said.push("What right claims would show was not worked out for this curve.");
    by("caption").textContent = said.join(" ");
  }

  function list(bars) {
    const body = document.querySelector("#points tbody");
    body.replaceChildren(...bars.rows.flatMap((n, i) => {
      if (!n) return [];
      const row = document.createElement("tr");
      [range(bars, i), number(n), percent(bars.claimed[i]), percent(bars.happened[i])].forEach((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      });
      return [row];
    }));
  }

  async function copy() {
    const command = by("command");
    getSelection().selectAllChildren(command);
    try {
      await navigator.clipboard.writeText(command.textContent);
      by("copy").textContent = "Copied";
    } catch {
      by("copy").textContent = "Selected";
    }
  }

  // What is printed is open while it is printed.
  const opened = new Set();
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("[data-print]:not([open])")) {
      opened.add(each);
      each.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    opened.clear();
  });
  if (by("copy")) by("copy").addEventListener("click", copy);
  by("controls").addEventListener("change", draw);
  by("controls").addEventListener("submit", (event) => event.preventDefault());
  plot.addEventListener("pointermove", point);
  plot.addEventListener("pointerleave", leave);
  let width = plot.clientWidth;
  new ResizeObserver(() => {
    if (plot.clientWidth === width || matchMedia("print").matches) return;
    width = plot.clientWidth;
    draw();
  }).observe(plot);
  draw();
})();
