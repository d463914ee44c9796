#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "sim/snapshot_prepared.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/lanes.hpp"
#include "wattfill/sim/device_view.hpp"

namespace wattfill {
namespace {

static_assert(device_lanes == lane_count, "a device adds up the host's partial sums");
static_assert(knowledge_kinds <= most_rank_kinds);

/// Appends tables to an image and says where they begin.
class Writer {
 public:
  Writer() : image_(sizeof(DeviceHeader)) {}

  template <class T>
  std::uint64_t add(std::span<T const> values) {
    auto const at = image_.size();
    static_assert(alignof(T) <= 8);
    image_.resize((at + values.size_bytes() + 7) / 8 * 8);
    if (!values.empty()) std::memcpy(image_.data() + at, values.data(), values.size_bytes());
    return at;
  }
  template <class T>
  std::uint64_t add(std::vector<T> const& values) {
    return add(std::span<T const>(values));
  }
  std::uint64_t add_padded(std::span<double const> values, std::size_t stride) {
    std::vector<double> padded_values(values.begin(), values.end());
    padded_values.resize(stride, 0.0);
    return add(padded_values);
  }
  std::vector<unsigned char> finish(DeviceHeader& header) {
    header.bytes = image_.size();
    std::memcpy(image_.data(), &header, sizeof header);
    return std::move(image_);
  }

 private:
  std::vector<unsigned char> image_;
};

/// The tables of a path; curves that a split class bends along are kept once.
DevicePath add_path(Writer& writer, PathView const& path, std::size_t classes) {
  auto const knots = path.draws.knots, stride = path.draws.stride;
  auto const places = path.first[knots - 1] + 1;  // the last knot is the last place
  std::vector<std::uint64_t> first(path.first, path.first + knots);
  first.push_back(places);
  DevicePath to{};
  to.knots = knots;
  to.splits = path.moves != nullptr ? 1 : 0;
  to.slot = path.slot;
  to.rows = writer.add(std::span(path.draws.rows, knots * stride));
  to.first = writer.add(first);
  to.theta = writer.add(std::span(path.theta, places));
  to.speeds = writer.add(std::span(path.speeds, places * stride));
  to.by_speed = writer.add(std::span(path.by_speed, places * classes));
  if (path.moves == nullptr) return to;
  std::map<double const*, std::pair<std::uint64_t, std::uint64_t>> curves;
  std::vector<DeviceMove> moves;
  for (auto const& move : std::span(path.moves, knots)) {
    auto const points = static_cast<std::size_t>(move.curve.n);
    DeviceMove entry{move.cls, points, 0, 0, move.full_speed};
    if (points != 2) {
      auto const [known, fresh] = curves.try_emplace(move.curve.draws);
      if (fresh) known->second = {writer.add(std::span(move.curve.draws, points)), writer.add(std::span(move.curve.speeds, points))};
      entry.draws = known->second.first;
      entry.speeds = known->second.second;
    }
    moves.push_back(entry);
  }
  to.moves = writer.add(moves);
  return to;
}

std::vector<double> pfis(std::vector<Demand> const& demands) {
  std::vector<double> all;
  for (auto const& demand : demands) all.push_back(demand.pfi);
  return all;
}

}  // namespace

std::string Snapshot::why_not_on_device() const {
  auto const& p = *prepared_;
  if (p.meter) return "a facility is searched for its limit on the host";
  if (p.racks) return "limits of racks are filled on the host";
  if (p.varies) return "beliefs differ from mix to mix, and the paths that follow from them are made on the host";
  if (p.mix.jobs() > most_device_jobs) return "the mix has more than " + std::to_string(most_device_jobs) + " jobs";
  return {};
}

DeviceTables Snapshot::device_tables() const {
  WATTFILL_ASSERT(why_not_on_device().empty());
  auto const& p = *prepared_;
  auto const classes = p.mix.classes().size(), stride = padded(classes);
  Writer writer;
  DeviceHeader head;
  head.classes = classes;
  head.stride = stride;
  head.paths = p.rules.size();
  head.targets = p.targets.size();
  head.slots = p.policies;
  head.jobs = p.mix.jobs();
  head.p5_count = (p.mix.jobs() + 19) / 20;
  head.key = p.key;
  head.drawn = p.mix.drawn() ? 1 : 0;
  head.mean_objective = p.mean_objective ? 1 : 0;
  head.speeds_add_up = p.speeds_add_up ? 1 : 0;
  head.listed = writer.add_padded(p.mix.listed(), stride);
  head.gpus = writer.add_padded(p.gpus, stride);
  head.full_speed = writer.add_padded(p.full_speed, stride);
  head.value = writer.add_padded(p.value, stride);
  auto least = p.min_speed;
  for (double& speed : least) speed -= speed_slack;
  head.min_speed = writer.add_padded(least, stride);
  head.ends_w = writer.add(std::span<double const>(p.ends));
  std::vector<DeviceColumn> columns;
  for (auto const& column : p.mix.columns()) columns.push_back({column.threshold, column.alias});
  head.columns = writer.add(columns);
  std::vector<DeviceTarget> targets;
  for (auto const& target : p.targets) targets.push_back({target.kind == Target::Kind::cut ? 1U : 0U, target.value});
  head.target_table = writer.add(targets);

  std::vector<DevicePath> paths;
  std::vector<std::pair<Knowledge, std::vector<double>>> told;
  for (std::size_t r = 0; r < p.rules.size(); ++r) {
    auto const& rule = p.rules[r];
    auto path = add_path(writer, p.views[*rule.path], classes);
    path.proves_hull = rule.looks == Looks::at_truth && path.splits != 0 ? 1 : 0;
    path.rank_kind = most_rank_kinds;
    if (!p.beliefs.perfect() && rule.looks != Looks::at_truth && rule.knows != Knowledge::perfect) {
      auto known = std::ranges::find(told, rule.knows, &std::pair<Knowledge, std::vector<double>>::first);
      if (known == told.end()) known = told.insert(known, {rule.knows, pfis(p.beliefs.demands(p.beliefs.beliefs(rule.knows, p.seed, 0), rule.knows))});
      path.rank_kind = static_cast<std::uint64_t>(known - told.begin());
    }
    paths.push_back(path);
  }
  head.path_table = writer.add(paths);
  head.rank_kinds = told.size();
  head.true_pfi = writer.add_padded(pfis(p.beliefs.truth()), stride);
  std::vector<double> all_told;
  for (auto const& [knows, pfi] : told) {
    all_told.insert(all_told.end(), pfi.begin(), pfi.end());
    all_told.resize(padded(all_told.size()), 0.0);
  }
  head.told_pfi = writer.add(all_told);
  DeviceTables tables;
  tables.image = writer.finish(head);
  tables.header = head;
  tables.scores_per_replication = scores_per_replication();
  return tables;
}

}  // namespace wattfill
