#include "wattfill/scenario/file_kind.hpp"

#include <algorithm>
#include <array>

namespace wattfill {
namespace {

struct KindHint {
  std::string_view kind, what, use;  ///< FILE stands for the file
};

constexpr std::array<KindHint, 8> hints{{
    {"snapshot", "a snapshot is a study of a cluster", "use: wattfill run FILE"},
    {"timeline", "a timeline is a study of a cluster", "use: wattfill run FILE"},
    {"campaign", "a campaign is one training run, not a study of a cluster", "use: wattfill run FILE"},
    {"pipeline", "a pipeline is one job, not a study of a cluster", "use: wattfill pipeline FILE"},
    {"contract", "a contract is settled on what a meter saw", "use: wattfill contract METER.csv FILE"},
    {"baseline", "a baseline is compared with results", "use: wattfill regress DIR --baseline FILE"},
    {"predictor", "a predictor is used by a study", "name it in a scenario: pfi: {source: predicted, model: FILE}"},
    {"curves", "a curve library is used by a study", "name it in a scenario: curves: [FILE]"},
}};

}  // namespace

std::string kind_of(Node const& document) {
  if (document.kind != Node::Kind::map) return "";
  if (auto const* const kind = document.find("kind")) return kind->kind == Node::Kind::scalar ? kind->text : "";
  return document.find("provenance") != nullptr && document.find("gpu") != nullptr ? "curves" : "";
}

void refuse_other_kinds(Node const& document, std::initializer_list<std::string_view> wanted) {
  auto const kind = kind_of(document);
  auto const hint = std::ranges::find(hints, kind, &KindHint::kind);
  if (hint == hints.end() || std::ranges::find(wanted, kind) != wanted.end()) return;
  auto const* const written = document.find("kind");
  auto const& at = written != nullptr ? written->at : document.at;
  std::string use(hint->use);
  use.replace(use.find("FILE"), 4, at.file);
  throw InputError(Problem{at, written != nullptr ? "kind" : "", std::string(hint->what) + "; " + use});
}

}  // namespace wattfill
