// The sections of the page, one function each: what is not in the data makes no section.
import {choice, element, figure, number, table} from "./dom.js";

const unique = (rows, key) => [...new Set(rows.map((row) => row[key]))];
const same = (values) => values.length < 2;

/// Selects that narrow rows by columns, those with one value left out. `filter` keeps what is chosen.
function narrowing(rows, columns, change) {
  const choices = columns.map(([column, label]) => ({column, select: choice(label, unique(rows, column), change, column === "metric" ? words : undefined)})).filter((c) => c.select.count > 1);
  return {
    elements: choices.map((c) => c.select.element),
    filter: (from) => from.filter((row) => choices.every((c) => String(row[c.column]) === c.select.value)),
    last(column) { const found = choices.find((c) => c.column === column); if (found) found.select.value = String(unique(rows, column).at(-1)); },
  };
}

/// "speed_gpu_vs_reference" in words.
const words = (metric) => {
  const [, name, difference] = /^(.*?)(_vs_reference)?$/.exec(metric);
  return (METRICS[name] ?? name.replaceAll("_", " ")) + (difference ? ", difference to the reference" : "");
};
/// Some row has a number there: a scale of nothing is a warning.
const known = (rows, field) => rows.some((row) => typeof row[field] === "number");
const percent = {format: "%", tickCount: 9};
const METRICS = {
  speed_gpu: "GPU-weighted speed left", speed_normalized: "mean speed left", objective_value: "objective", speed_p5: "5th percentile of speeds",
  speed_min: "slowest job", share_worse: "share of jobs worse off than under proportional", share_below_min: "share of jobs below their agreed speed",
  jain_index: "Jain's fairness index", power_w: "draw of all GPUs [W]", shortfall_w: "watts over the limit [W]", meter_w: "at the meter [W]",
};

export function snapshot(data, objects, section) {
  const rows = objects("summary");
  if (data.study.kind !== "snapshot" || !rows.length) return;
  const x = rows.some((row) => row.cut !== null) ? "cut" : "target_w";
  const sweep = data.study.sweep.map((column) => [column, column]);
  const metrics = Object.keys(METRICS).filter((metric) => rows.some((row) => typeof row[metric] === "number"));
  const policies = unique(rows, "policy");
  const color = {field: "policy", type: "nominal", sort: policies, scale: {domain: policies}, title: null};
  const last = [["mix", "Mix"], ...sweep];

  { // headline: at the deepest cut
    const body = element("div");
    const pick = narrowing(rows, [...last, [x, x === "cut" ? "Cut" : "Limit [W]"]], () => show());
    const show = () => {
      const chosen = pick.filter(rows);
      const interval = (row, name) => row[`${name}_low`] === null || row[`${name}_low`] === row[`${name}_high`] ? "" : ` [${number(row[`${name}_low`], 3)}, ${number(row[`${name}_high`], 3)}]`;
      const columns = ["policy", ...metrics.filter((m) => ["speed_gpu", "objective_value", "speed_p5", "share_worse", "share_below_min"].includes(m)).map((m) => METRICS[m])];
      if (chosen.some((row) => row.gap_closed !== null)) columns.push("gap closed [95 % over mixes]");
      if (chosen.some((row) => (row.gap_closed_outer_low ?? null) !== null)) columns.push("[95 % over curves]");
      body.replaceChildren(table("Headline figures", columns, chosen.map((row) => columns.map((column) => {
        if (column === "policy") return row.policy;
        if (column.startsWith("gap")) return row.gap_closed === null ? null : number(row.gap_closed, 3) + interval(row, "gap_closed");
        if (column.startsWith("[")) return row.gap_closed_outer_low === null ? null : `[${number(row.gap_closed_outer_low, 3)}, ${number(row.gap_closed_outer_high, 3)}]`;
        return row[metrics.find((m) => METRICS[m] === column)];
      }))));
    };
    pick.last(x);
    show();
    section("Headline", `What each policy leaves of the jobs' speed (objective: ${data.study.objective}). Gap closed: share of the way from ${data.study.reference} to the oracle.`,
      element("div", {className: "controls"}, pick.elements), body);
  }
  if (!same(unique(rows, x))) {
    const plot = figure("Lines: means over mixes; bands: 95 % confidence of the mean, mostly too narrow to see.", "policy against cut");
    const metric = choice("What", metrics.map((m) => METRICS[m]), () => show());
    const against = choice("Shown as", ["value", `difference to ${data.study.reference}`], () => show());
    const pick = narrowing(rows, last, () => show());
    const show = () => {
      const name = metrics.find((m) => METRICS[m] === metric.value);
      const wanted = against.value !== "value" && rows.some((row) => typeof row[`${name}_vs_reference`] === "number") ? `${name}_vs_reference` : name;
      const shown = pick.filter(rows).map((row) => ({[x]: row[x], policy: row.policy, [wanted]: row[wanted], low: row[`${wanted}_low`], high: row[`${wanted}_high`]}));
      const title = METRICS[name] + (wanted === name ? "" : ` less that of ${data.study.reference}`);
      plot.update({
        height: 380, data: {values: shown},
        encoding: {x: {field: x, type: "quantitative", title: x === "cut" ? "cut of the uncapped draw" : "limit [W]", axis: x === "cut" ? percent : {}}, color: {...color, legend: {symbolOpacity: 1}}},
        layer: [
          ...!known(shown, "low") ? [] : [{mark: {type: "area", opacity: 0.18, tooltip: false}, encoding: {y: {field: "low", type: "quantitative", scale: {zero: false}, title}, y2: {field: "high"}}}],
          {mark: {type: "line", point: {size: 28}}, params: [{name: "policies", select: {type: "point", fields: ["policy"]}, bind: "legend"}], encoding: {
            y: {field: wanted, type: "quantitative", scale: {zero: false}, title}, opacity: {condition: {param: "policies", value: 1}, value: 0.15},
            tooltip: [{field: "policy"}, {field: x}, {field: wanted, format: ".5g"}, {field: "low", format: ".5g"}, {field: "high", format: ".5g"}]}}],
      }, shown);
    };
    show();
    section("Policy against cut", "Click a policy in the legend to follow it.", element("div", {className: "controls"}, metric.element, against.element, pick.elements), plot.element);
  }
  if (rows.some((row) => typeof row.gap_closed === "number")) {
    const plot = figure("Thick: 95 % over mixes; thin: 95 % over resampled curves and libraries, where the study has an outer bootstrap. The scale is cut at -3 and 1.5.", "gap closed by each policy");
    const pick = narrowing(rows.filter((row) => row.gap_closed !== null), [...last, [x, x === "cut" ? "Cut" : "Limit [W]"]], () => show());
    const show = () => {
      const shown = pick.filter(rows).filter((row) => row.gap_closed !== null).map((row) => ({policy: row.policy, gap_closed: row.gap_closed, low: row.gap_closed_low, high: row.gap_closed_high, outer_low: row.gap_closed_outer_low ?? null, outer_high: row.gap_closed_outer_high ?? null}));
      const scale = {domain: [Math.max(-3, Math.min(-0.2, ...shown.map((r) => Math.min(r.gap_closed, r.outer_low ?? 0)))), Math.min(1.5, Math.max(1.05, ...shown.map((r) => r.outer_high ?? 0)))]};
      const across = {type: "quantitative", scale, axis: {tickCount: 9}, title: `0: ${data.study.reference}, 1: oracle`};
      plot.update({
        height: 26 * shown.length, data: {values: shown},
        encoding: {y: {field: "policy", type: "nominal", sort: policies, title: null}},
        layer: [
          {mark: {type: "rule", strokeDash: [4, 3], tooltip: false}, encoding: {x: {datum: 0, ...across}, y: null}},
          ...!known(shown, "outer_low") ? [] : [{mark: {type: "rule", strokeWidth: 1.5, clip: true}, encoding: {x: {field: "outer_low", ...across}, x2: {field: "outer_high"}}}],
          ...!known(shown, "low") ? [] : [{mark: {type: "rule", strokeWidth: 5, clip: true}, encoding: {x: {field: "low", ...across}, x2: {field: "high"}, color: {...color, legend: null}}}],
          {mark: {type: "point", filled: true, size: 80, clip: true}, encoding: {x: {field: "gap_closed", ...across}, color: {...color, legend: null},
            tooltip: [{field: "policy"}, ...["gap_closed", "low", "high", "outer_low", "outer_high"].map((field) => ({field, format: ".3f"}))]}}],
      }, shown);
    };
    pick.last(x);
    show();
    section("Gap closed", "A policy cannot win what the oracle does not find: look at what the oracle gains before reading this plot.", element("div", {className: "controls"}, pick.elements), plot.element);
  }
  const spread = objects("distributions");
  if (spread.length) {
    const plot = figure("Line: 1st to 99th percentile of the mixes; bar: 5th to 95th; box: 25th to 75th; tick: median.", "distribution over mixes");
    const pick = narrowing(spread, [["metric", "What"], ...last, [x, x === "cut" ? "Cut" : "Limit [W]"]], () => show());
    const show = () => {
      const shown = pick.filter(spread);
      const title = words(String(shown[0]?.metric ?? ""));
      const span = (low, high, width, opacity) => ({mark: {type: "rule", strokeWidth: width, opacity}, encoding: {x: {field: low, type: "quantitative", title, scale: {zero: false}}, x2: {field: high}}});
      plot.update({
        height: 28 * shown.length, data: {values: shown},
        encoding: {y: {field: "policy", type: "nominal", sort: policies, title: null}, color: {...color, legend: null}, tooltip: ["policy", "p1", "p5", "p25", "p50", "p75", "p95", "p99"].map((field) => ({field, format: field === "policy" ? undefined : ".5g"}))},
        layer: [span("p1", "p99", 1.5, 1), span("p5", "p95", 7, 0.45), span("p25", "p75", 14, 0.8), {mark: {type: "tick", thickness: 3, height: 18, color: "black"}, encoding: {x: {field: "p50", type: "quantitative"}, color: {value: "#ffffff"}}}],
      }, shown);
    };
    pick.last(x);
    show();
    section("Spread over mixes", "How much a policy's result, or its difference to the reference on the same mix, varies from mix to mix.", element("div", {className: "controls"}, pick.elements), plot.element);
  }
}

const EVENTS = ["limit", "pause", "resume", "resize", "cap", "submit", "start", "finish"];

export function timeline(data, objects, section) {
  const rows = objects("summary");
  if (data.study.kind !== "timeline" || !rows.length) return;
  const metrics = ["slowdown_mean", "slowdown_worst", "budget_misses", "deadline_misses", "wait_mean_s", "end_s", "energy_j", "requested_j", "delivered_j", "over_limit_j", "peak_w", "cost_usd", "co2_kg"].filter((m) => rows.some((row) => typeof row[m] === "number"));
  const sweep = data.study.sweep.map((column) => [column, column]);
  {
    const body = element("div");
    const pick = narrowing(rows, sweep, () => show());
    const unit = (m) => m.endsWith("_j") ? [m.replace(/_j$/, " [kWh]"), 1 / 3.6e6] : m.endsWith("_s") ? [m.replace(/_s$/, " [h]"), 1 / 3600] : m.endsWith("_w") ? [m.replace(/_w$/, " [kW]"), 1e-3] : [m, 1];
    const show = () => body.replaceChildren(table("Headline figures", ["policy", ...metrics.map((m) => unit(m)[0].replaceAll("_", " "))],
      pick.filter(rows).map((row) => [row.policy, ...metrics.map((m) => row[m] === null ? null : row[m] * unit(m)[1])])));
    show();
    section("Headline", "Every policy met the same jobs and the same limit.", element("div", {className: "controls"}, pick.elements), body);
  }
  const power = objects("power"), events = objects("events"), jobs = objects("jobs");
  const keys = [["policy", "Policy"], ...sweep];
  if (power.length) {
    const plot = figure("Filled: draw of all GPUs; line: the limit; ticks at the bottom: events.", "power against limit over time");
    const pick = narrowing(power, keys, () => show());
    const show = () => {
      const kinds = unique(events, "event").sort((a, b) => EVENTS.indexOf(a) - EVENTS.indexOf(b));
      const hours = (row) => ({...row, hour: row.time_s / 3600});
      const shown = pick.filter(power).map((row) => ({hour: row.time_s / 3600, gpu_kw: row.gpu_w / 1000, limit_kw: row.limit_w === null ? null : row.limit_w / 1000}));
      const x = {field: "hour", type: "quantitative", title: "hours", scale: {nice: false}};
      plot.update({
        height: 340, data: {values: shown},
        resolve: {scale: {color: "independent"}},
        layer: [
          {mark: {type: "area", interpolate: "step-after", opacity: 0.35, line: {strokeWidth: 1.5}}, encoding: {x, y: {field: "gpu_kw", type: "quantitative", title: "kW"}, tooltip: [{field: "hour", format: ".3f"}, {field: "gpu_kw", format: ".2f"}, {field: "limit_kw", format: ".2f"}]}},
          {mark: {type: "line", interpolate: "step-after", strokeDash: [6, 3], strokeWidth: 2, color: "#c24a00"}, encoding: {x, y: {field: "limit_kw", type: "quantitative"}}},
          {data: {values: pick.filter(events).map(hours)}, mark: {type: "tick", height: 14, thickness: 1.5, yOffset: -8}, encoding: {x: {...x, field: "hour"}, y: {datum: 0, type: "quantitative"},
            color: {field: "event", type: "nominal", sort: kinds, title: "event"}, tooltip: [{field: "event"}, {field: "job"}, {field: "hour", format: ".3f"}, {field: "value", format: ".6g"}]}}],
      }, shown);
    };
    show();
    section("Power over time", "", element("div", {className: "controls"}, pick.elements), plot.element);
  }
  if (jobs.length) {
    const plot = figure("Bars: from start to finish (or the end of the run); thin: waiting. Colour: slowdown, run time over work.", "Gantt chart of the jobs");
    const pick = narrowing(jobs, keys, () => show());
    const show = () => {
      const chosen = pick.filter(jobs), end = Math.max(...chosen.map((j) => j.finish_s ?? j.start_s ?? j.submit_s));
      const shown = chosen.map((j) => ({job: j.job, submit: j.submit_s / 3600, start: (j.start_s ?? end) / 3600, finish: (j.finish_s ?? end) / 3600, gpus: j.gpus, slowdown: j.slowdown, finished: j.finish_s === null ? "no" : "yes"}));
      const time = (field) => ({field, type: "quantitative", title: "hours", scale: {nice: false}});
      plot.update({
        height: shown.length * (shown.length > 60 ? 8 : 22), data: {values: shown},
        encoding: {y: {field: "job", type: "nominal", sort: shown.map((j) => j.job), title: null, scale: {paddingInner: 0.3}, axis: {labels: shown.length <= 60}}, tooltip: ["job", "gpus", "finished"].map((field) => ({field})).concat(["submit", "start", "finish", "slowdown"].map((field) => ({field, format: ".3f"})))},
        layer: [{mark: {type: "rule", strokeWidth: 2}, encoding: {x: time("submit"), x2: {field: "start"}}},
          {mark: {type: "bar", cornerRadius: 2}, encoding: {x: time("start"), x2: {field: "finish"}, color: {field: "slowdown", type: "quantitative", title: "slowdown", scale: {scheme: "viridis"}, legend: {gradientLength: 240}}}}],
      }, shown);
    };
    show();
    section("Jobs", "", element("div", {className: "controls"}, pick.elements), plot.element);
  }
}

export function facility(data, objects, section) {
  const from = data.tables.facility;
  if (!from) return;
  const rows = objects("facility");
  const x = rows.some((row) => row.cut !== null) ? "cut" : "target_w";
  const components = from.columns.filter((column) => column.endsWith("_w") && !["it_w", "meter_w", "target_w", "meter_per_gpu_w"].includes(column));
  const plot = figure("Watts of every component between the GPUs and the meter; the whole bar is what the meter shows.", "facility stack");
  const keys = [["mix", "Mix"], ["policy", "Policy"], ...data.study.sweep.map((column) => [column, column])].filter(([column]) => from.columns.includes(column));
  const pick = narrowing(rows, keys, () => show());
  const show = () => {
    const shown = pick.filter(rows).flatMap((row) => components.filter((c) => typeof row[c] === "number").map((c) => ({[x]: String(row[x]), component: c.replace(/_w$/, ""), kw: row[c] / 1000, place: components.indexOf(c)})));
    plot.update({height: 380, data: {values: shown}, mark: {type: "bar"}, encoding: {
      x: {field: x, type: "ordinal", sort: null, title: x === "cut" ? "cut" : "limit [W]", axis: {labelAngle: 0}}, y: {field: "kw", type: "quantitative", stack: true, title: "kW"},
      color: {field: "component", type: "nominal", sort: null, title: null}, order: {field: "place"}, tooltip: [{field: "component"}, {field: x}, {field: "kw", format: ".3f"}]}}, shown);
  };
  show();
  section("From the GPUs to the meter", "", element("div", {className: "controls"}, pick.elements), plot.element);
}

const TABLES = {
  capacity: ["What can be promised", "Reduction that the given share of mixes can deliver, from order statistics."],
  settled_events: ["Settlement of each event", "What the contract owed and what the meter showed."],
  settlement: ["Settlement by interval", ""],
  campaign: ["Campaign", "One training run at several savings, with and without a power budget."],
  savings: ["Savings", "One iteration under every plan."],
  ranks: ["Ranks", ""],
};

/// "required_wh" as "required [Wh]".
const UNITS = {w: "W", wh: "Wh", s: "s", j: "J", usd: "USD", kw: "kW", mw: "MW", mwh: "MWh", co2: "CO2"};
const heading = (column) => {
  const parts = column.split("_"), unit = parts.length > 1 ? UNITS[parts.at(-1)] : undefined;
  return unit ? `${parts.slice(0, -1).join(" ")} [${unit}]` : parts.join(" ");
};

export function tables(data, objects, section) {
  for (const [name, [title, explanation]] of Object.entries(TABLES)) {
    const from = data.tables[name];
    if (!from) continue;
    const children = [table(title, from.columns.map(heading), from.rows)];
    if (name === "settlement") {
      const rows = objects(name);
      const plot = figure("Dashed: what was owed; line: what was delivered, baseline less meter.", "delivered against owed");
      plot.update({height: 300, data: {values: rows.map((row, i) => ({interval: i, required_kw: row.required_w / 1000, delivered_kw: row.delivered_w / 1000, status: row.status}))}, encoding: {x: {field: "interval", type: "quantitative", title: "settlement interval", axis: {tickMinStep: 1, format: "d"}}}, layer: [
        {mark: {type: "line", interpolate: "step-after", point: true}, encoding: {y: {field: "delivered_kw", type: "quantitative", title: "kW"}, tooltip: [{field: "interval"}, {field: "status"}, {field: "required_kw", format: ".2f"}, {field: "delivered_kw", format: ".2f"}]}},
        {mark: {type: "line", interpolate: "step-after", strokeDash: [6, 3], color: "#c24a00"}, encoding: {y: {field: "required_kw", type: "quantitative"}}}]}, rows);
      children.unshift(plot.element);
    }
    section(title, explanation, ...children);
  }
  const frontier = objects("frontier");
  if (frontier.length) {
    const plot = figure("Every point is a plan of one iteration that no other plan beats in both time and energy.", "time-energy frontier");
    plot.update({height: 340, data: {values: frontier}, mark: {type: "line", point: frontier.length < 100}, encoding: {x: {field: "time_s", type: "quantitative", title: "time of an iteration [s]", scale: {zero: false}}, y: {field: "energy_j", type: "quantitative", title: "energy [J]", scale: {zero: false}}}}, frontier);
    section("Time and energy", "", plot.element);
  }
}

export function curves(data, objects, section) {
  if (!data.libraries.length) return;
  const points = objects("curves");
  const children = [];
  if (points.length) {
    const plot = figure("Speed against draw of one GPU, each as a share of the curve's own full values.", "power-speed curves");
    const group = choice("Colour by", ["task", "architecture", "curve"], () => show());
    const pick = narrowing(points, [["library", "Library"]], () => show());
    const show = () => {
      const shown = pick.filter(points), by = group.value;
      plot.update({height: 380, data: {values: shown}, mark: {type: "line", point: {size: 18}, strokeWidth: 1.4}, encoding: {
        x: {field: "power_share", type: "quantitative", title: "draw / full draw", scale: {zero: false}}, y: {field: "speed_share", type: "quantitative", title: "speed / full speed", scale: {zero: false}},
        detail: {field: "curve"}, color: {field: by, type: "nominal", title: null},
        tooltip: [{field: "curve"}, {field: "architecture"}, {field: "task"}, ...["cap_w", "power_w", "speed"].map((field) => ({field, format: ".5g"}))]}}, shown);
    };
    show();
    children.push(element("div", {className: "controls"}, group.element, pick.elements), plot.element);
  }
  for (const library of data.libraries) {
    const facts = [["GPU", library.gpu], ["points are", library.statistic], ["source", library.citation], ["licence", library.licence]].filter((fact) => fact[1]);
    children.push(element("h3", {}, `${library.name} `, element("span", {className: "badge", textContent: library.provenance})),
      element("dl", {}, facts.flatMap(([term, what]) => [element("dt", {textContent: term}), element("dd", {textContent: what})])),
      library.assumptions.length ? element("details", {}, element("summary", {textContent: `What was assumed (${library.assumptions.length})`}), element("ul", {}, library.assumptions.map((text) => element("li", {textContent: text})))) : "");
  }
  section("Curves", "Cite the measurements. Curves marked reconstructed are not measurements.", ...children);
}
