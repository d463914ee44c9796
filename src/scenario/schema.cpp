#include "wattfill/scenario/schema.hpp"

#include "wattfill/scenario/spec.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

Node with_head(std::string title, std::string id, Node const& schema) {
  auto node = Node::map();
  node.add("$schema", Node::quote("https://json-schema.org/draft/2020-12/schema")).add("$id", Node::quote("urn:wattfill:" + std::move(id)));
  node.add("title", Node::quote(std::move(title)));
  for (auto const& member : schema.members) node.add(member.key, member.value);
  return node;
}

/// Text for a cell of a Markdown table.
std::string cell(std::string const& text) {
  std::string out;
  for (auto const c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(std::string const& text) { return text.empty() ? "" : "`" + text + "`"; }

void write_tables(Docs const& docs, std::string& page) {
  for (auto const& table : docs) {
    page += "\n### " + table.title + "\n\n";
    std::string paths;
    for (auto const& path : table.paths)
      if (!path.empty()) paths += (paths.empty() ? "" : ", ") + code(path);
    page += (paths.empty() ? "" : "At " + paths + ": ") + table.meaning + ".\n\n";
    page += "| key | meaning | value | unit | range | default | example |\n|---|---|---|---|---|---|---|\n";
    for (auto const& row : table.rows)
      page += "| " + code(row.key) + " | " + cell(row.meaning) + " | " + cell(row.type) + " | " + row.unit + " | " + cell(row.range) + " | " +
              cell(row.fallback) + " | " + cell(code(row.example)) + " |\n";
  }
}

}  // namespace

std::vector<std::string> schema_names() { return {"scenario", "curves"}; }

std::string schema_text(std::string_view name) {
  if (name == "scenario") return to_json(with_head("wattfill snapshot scenario", "scenario:1", snapshot_format().schema));
  if (name == "curves") return to_json(with_head("wattfill curve library", "curves:1", library_format().schema));
  throw InputError("there is no schema \"" + std::string(name) + "\"" + suggestion(name, schema_names()));
}

std::string keys_page() {
  std::string page = R"(# Scenarios and their keys

Generated from the tables of keys in `src/scenario/`: do not edit; `WATTFILL_UPDATE=1 ctest --preset dev -R scenarios/README` writes it anew.

| scenario | question |
|---|---|
| `smoke.yaml` | does everything run? (under a second) |
| `paper.yaml` | what do the strategies of arXiv:2609.11542 win, and what of that is PFI? |
| `in_service.yaml` | what changes when a mix is what runs, not what arrives? |
| `what_pfi_is_worth.yaml` | what does each rule gain from PFI, under each objective? |
| `emerald.yaml` | how do the rules do on measured A100 jobs with a known mix? |

`wattfill run scenarios/smoke.yaml` runs one, `wattfill validate` only checks it, `--set mixes.random.jobs=50` changes a key, and `sweep` runs every combination of values.
Maps are keyed by name and lists by number from 0, so that `--set policies.2.factor=3` and `sweep: {policies.2.factor: [2, 3]}` reach every key; `--set cuts=null` takes a key away.
Unknown and doubled keys, NaN and infinities are refused. `wattfill schema scenario` prints the JSON Schema for editors.

## Snapshot scenario
)";
  Docs docs;
  snapshot_format().document("", docs);
  write_tables(docs, page);
  page += "\n## Curve library\n";
  docs.clear();
  library_format().document("", docs);
  write_tables(docs, page);
  return page;
}

}  // namespace wattfill
