#include "scenario/input_file.hpp"

#include "wattfill/scenario/document.hpp"
#include "wattfill/scenario/file_kind.hpp"
#include "wattfill/scenario/spec.hpp"

namespace wattfill {

Node read_input(std::filesystem::path const& file, std::vector<std::string> const& sets, std::string const& what, std::initializer_list<std::string_view> kinds) {
  auto document = read_document(file);
  if (document.kind != Node::Kind::map)
    throw InputError(Problem{document.at, "", described(document) + " stands where a " + what + " belongs; see scenarios/README.md for its keys"});
  for (auto const& assignment : sets) set_value(document, assignment);
  refuse_newer(document, what);
  refuse_other_kinds(document, kinds);
  return document;
}

}  // namespace wattfill
