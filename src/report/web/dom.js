// Small helpers that make elements. Text goes in through textContent alone, so that no name from a scenario can become markup.
import embed from "vega-embed";

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  for (const child of children.flat()) made.append(child);
  return made;
}

const dark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;

function theme() {
  const ink = dark() ? "#e8edf2" : "#16202b", quiet = dark() ? "#a9b6c3" : "#4c5967", line = dark() ? "#36424e" : "#dfe4ea";
  const text = {labelColor: quiet, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 180};
  return {
    background: "transparent", aria: false, font: "system-ui, 'DejaVu Sans', sans-serif",
    view: {stroke: null},
    axis: {...text, gridColor: line, domainColor: line, tickColor: line},
    legend: {...text, orient: "bottom", columns: document.body.clientWidth < 700 ? 2 : 5, symbolLimit: 40},
    header: text, title: {color: ink, fontSize: 13, anchor: "start"},
    // Okabe and Ito's eight, told apart by the colour blind, then paler ones.
    range: {category: dark()
      ? ["#e69f00", "#56b4e9", "#2fbf94", "#f0e442", "#7d8bff", "#ec7430", "#dd8fbb", "#c2ccd6", "#b9a44c", "#8fd0b0", "#b48ce0", "#ff9f9f"]
      : ["#b87400", "#2a83bd", "#00805c", "#8a7d00", "#004f87", "#c24a00", "#a8487e", "#5a6672", "#7a5c00", "#3f9b6d", "#7048b6", "#c03a3a"]},
    mark: {tooltip: true}, rule: {color: quiet}, text: {color: ink},
  };
}

function save(name, type, text) {
  const url = type === "url" ? text : URL.createObjectURL(new Blob([text], {type}));
  element("a", {href: url, download: name}).click();
}

function csv(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

let figures = 0;

/// A plot with its caption and its downloads. `spec` is made anew whenever `update` is called or the colours change.
export function figure(caption, alt) {
  const name = `figure-${++figures}`;
  const plot = element("div", {className: "plot", role: "img", "aria-label": alt});
  const saves = element("div", {className: "save"});
  const made = element("figure", {}, element("figcaption", {textContent: caption}), plot, saves);
  let view = null, rows = [], spec = null;
  const button = (label, act) => saves.append(element("button", {type: "button", textContent: label, ariaLabel: `${label}: ${alt}`, onclick: act}));
  button("Data as CSV", () => save(`${name}.csv`, "text/csv", csv(rows)));
  button("SVG", async () => view && save(`${name}.svg`, "image/svg+xml", await view.toSVG()));
  button("PNG", async () => view && save(`${name}.png`, "url", await view.toImageURL("png", 2)));
  const draw = async () => {
    if (!spec) return;
    const made_view = await embed(plot, {$schema: "https://vega.github.io/schema/vega-lite/v6.json", width: "container", autosize: {type: "fit-x", contains: "padding"}, ...spec},
      {actions: false, renderer: "svg", config: theme(), tooltip: {theme: dark() ? "dark" : "light"}});
    view = made_view.view;
    plot.setAttribute("role", "img");  // Vega puts its own words there
    plot.setAttribute("aria-label", alt);
    plot.querySelector("svg")?.setAttribute("aria-hidden", "true");  // the figure has its label; the marks alone say nothing
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return {element: made, update(next, data) { spec = next; rows = data; return draw(); }};
}

/// `name`: how a value is shown.
export function choice(label, values, change, name = (value) => String(value)) {
  const select = element("select", {}, values.map((value) => element("option", {value: String(value), textContent: value === "" ? "(none)" : name(value)})));
  select.addEventListener("change", () => change());
  return {element: element("label", {}, label, select), get value() { return select.value; }, set value(next) { select.value = next; }, count: values.length};
}

export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (value !== 0 && (Math.abs(value) >= 1e9 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  return value.toLocaleString("en-US", {maximumFractionDigits: Math.abs(value) >= 1000 ? 0 : digits});
}

/// Times that all stand in one offset are told without it; where it goes is the heading.
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)$/;
function shortTimes(columns, rows) {
  const offset = columns.map((_, c) => {
    const offsets = new Set(rows.map((row) => row[c] === null ? "" : INSTANT.exec(row[c])?.[4] ?? ""));
    return offsets.size === 1 ? [...offsets][0] : "";
  });
  const short = (cell) => cell.replace(INSTANT, (_, day, minutes, seconds) => `${day} ${minutes}${seconds && seconds !== ":00" ? seconds : ""}`);
  return [columns.map((column, c) => offset[c] ? `${column} [UTC${offset[c].replace("Z", "")}]` : column), rows.map((row) => row.map((cell, c) => offset[c] ? short(cell) : cell))];
}

export function table(caption, columns, rows) {
  [columns, rows] = shortTimes(columns, rows);
  const text = columns.map((_, c) => rows.some((row) => typeof row[c] === "string"));
  const classes = (c) => ({className: text[c] ? "text" : ""});
  const head = element("tr", {}, columns.map((column, c) => element("th", {scope: "col", textContent: column, ...classes(c)})));
  const body = rows.map((row) => element("tr", {}, row.map((cell, c) => element("td", {textContent: number(cell), ...classes(c)}))));
  return element("div", {className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption},
    element("table", {ariaLabel: caption}, element("thead", {}, head), element("tbody", {}, body)));
}
