// Finished pieces, as --resume and merge read them. The first letter says which: f a whole pieces.bin, h the payload of its header (under a true checksum),
// p the payload of a study's piece, e edits of a true payload (its new length in two bytes, then place in two and value in one, again and again).
#include "fuzz/fuzz.hpp"
#include "support/mixes.hpp"
#include "wattfill/core/bytes.hpp"
#include "wattfill/core/sha256.hpp"
#include "wattfill/report/piece_file.hpp"
#include "wattfill/study/study.hpp"

using namespace wattfill;

namespace {

/// Gives every piece the same payload, or makes it and remembers the first.
class OnePayload final : public Pieces {
 public:
  Task task(std::uint64_t) override { return payload.empty() ? Task::compute : Task::take; }
  Task derived_task(std::uint64_t piece, std::uint64_t, std::uint64_t) override { return task(piece); }
  Piece take(std::uint64_t) override { return {payload, {}}; }
  void keep(std::uint64_t, std::string_view made, std::span<std::string_view const>) override {
    if (first.empty()) first = made;
  }
  std::string payload, first;
};

class NoRows final : public RowSink {
 public:
  void format(std::size_t, std::uint64_t, std::uint64_t, std::span<double const>, RowText& text) const override { text = {"row\n", "more"}; }
  void write(std::string_view, std::string_view) override {}
};

StudySpec const& study() {
  static std::deque<Curve> const curves = {testing::make_curve("a", {{200, 10}, {400, 16}}, 4), testing::make_curve("b", {{200, 80}, {300, 90}}, 8)};
  static StudySpec const small = [] {
    auto made = testing::small_study(curves);
    made.mixes.resize(1);
    made.mixes[0].replications = 4;
    made.mixes[0].jobs = 3;
    made.policies = {testing::policy("proportional"), testing::policy("oracle")};
    made.reference = "proportional";
    return made;
  }();
  return small;
}

void run(OnePayload& pieces) {
  static auto const executor = make_thread_executor(1);
  NoRows rows;
  RunOptions options;
  options.rows = &rows;
  options.pieces = &pieces;
  static_cast<void>(run_study(study(), *executor, options));
}

std::string edited(std::string_view edits) {
  static std::string const truth = [] {
    OnePayload pieces;
    run(pieces);
    return pieces.first;
  }();
  auto made = truth;
  auto const two = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<std::uint8_t>(edits[at])) * 256 + static_cast<std::uint8_t>(edits[at + 1]);
  };
  if (edits.size() >= 2 && two(0) != 0) made.resize(std::min<std::size_t>(two(0), 2 * truth.size()), '\0');
  for (std::size_t at = 2; at + 3 <= edits.size(); at += 3) made[two(at) % made.size()] = edits[at + 2];
  return made;
}

void read_file(std::filesystem::path const& file) {
  auto pieces = PieceFile::read(file);
  if (!pieces) return;
  fuzz::require(pieces->whole_bytes() <= std::filesystem::file_size(file), "what is whole is there");
  for (auto const piece : pieces->pieces()) static_cast<void>(pieces->payload(piece));
  pieces->prove_rows();
  static_cast<void>(differences(pieces->header(), {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const rest(reinterpret_cast<char const*>(data) + 1, size - 1);
  fuzz::accepted([&] {
    switch (data[0]) {
      case 'f': return read_file(fuzz::folder().write("pieces.bin", std::string(rest)));
      case 'h': {
        std::string record;
        ByteWriter to(record);
        to.number(UINT64_MAX);
        to.text(std::string(16, '\0') + std::string(rest));  // no rows
        std::string file = "wattfill pieces\n";
        ByteWriter(file).number(2);
        return read_file(fuzz::folder().write("pieces.bin", file + record + sha256(record)));
      }
      default: {
        OnePayload pieces;
        pieces.payload = data[0] == 'e' ? edited(rest) : std::string(rest);
        if (!pieces.payload.empty()) run(pieces);
      }
    }
  });
  return 0;
}
