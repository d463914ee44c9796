// The page of `wattfill report`: reads the data that the program put into the page, and makes a section of everything there is.
import style from "./style.css";
import {element, table} from "./dom.js";
import {curves, facility, snapshot, timeline, tables} from "./sections.js";

const data = JSON.parse(document.getElementById("data").textContent);

/// A table of the data as a list of objects.
function objects(name) {
  const from = data.tables[name];
  return from ? from.rows.map((row) => Object.fromEntries(from.columns.map((column, c) => [column, row[c]]))) : [];
}

document.head.append(element("style", {textContent: style}));
const study = data.study;
const main = element("main", {id: "main"});
const list = element("ul");

function section(title, explanation, ...children) {
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  list.append(element("li", {}, element("a", {href: `#${id}`, textContent: title})));
  main.append(element("section", {}, element("h2", {id, textContent: title}), explanation ? element("p", {className: "quiet", textContent: explanation}) : "", ...children));
}

for (const make of [snapshot, timeline, facility, tables, curves]) make(data, objects, section);

const facts = [["program", study.version && `wattfill ${study.version} (${study.revision})`], ["seed", study.seed], ["command", study.command], ["finished", study.finished_utc]].filter((fact) => fact[1]);
const provenance = element("dl", {}, facts.flatMap(([term, what]) => [element("dt", {textContent: term}), element("dd", {textContent: what})]));
const notes = [...data.notes, ...study.notes].map((note) => element("li", {textContent: note}));
section("How this was made", "The same scenario, curves, seed and version give the same numbers on any machine.", provenance,
  notes.length ? element("ul", {}, notes) : "",
  study.resolved ? element("details", {}, element("summary", {textContent: "The scenario as resolved"}), element("pre", {tabIndex: 0, textContent: study.resolved})) : "",
  study.inputs.length ? element("details", {}, element("summary", {textContent: "Inputs and their hashes"}), table("Inputs and their hashes", ["file", "SHA-256"], study.inputs)) : "");

document.body.append(
  element("a", {className: "skip", href: "#main", textContent: "To the results"}),
  element("header", {}, element("h1", {textContent: study.name}), element("p", {className: "quiet", textContent: study.subtitle}), element("nav", {ariaLabel: "Sections"}, list)),
  main);
document.documentElement.dataset.ready = "true";
