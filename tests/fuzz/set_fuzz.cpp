// `--set` assignments, one a line, on a small document; what comes out is YAML that reads back to the same.
#include "fuzz/fuzz.hpp"
#include "wattfill/scenario/document.hpp"

using namespace wattfill;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static std::string const base =
      "name: s\nmixes: {m: {jobs: 3, draw: {all: {where: {}}}}}\ncuts: [0.1, [0.2]]\npolicies: [oracle, {name: a}]\nsweep: {a.b: [1]}\n";
  auto document = parse_document(base, "s.yaml");
  std::string_view rest(reinterpret_cast<char const*>(data), size);
  bool changed = false;
  while (!rest.empty()) {
    auto const end = std::min(rest.find('\n'), rest.size());
    changed |= fuzz::accepted([&] { set_value(document, rest.substr(0, end)); });
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!changed) return 0;
  auto const text = to_yaml(document);
  Node again;
  // Assignments may nest deeper, or be longer, than a file may be: that is a refusal, not a difference.
  if (fuzz::accepted([&] { again = parse_document(text, "again.yaml"); }))
    fuzz::require(to_yaml(again) == text, "YAML that was written reads back to the same");
  static_cast<void>(to_json(document));
  return 0;
}
