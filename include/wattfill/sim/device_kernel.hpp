#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "wattfill/core/random.hpp"
#include "wattfill/fill/budget_search.hpp"
#include "wattfill/sim/device_lanes.hpp"
#include "wattfill/sim/device_view.hpp"
#include "wattfill/sim/scores.hpp"
#include "wattfill/sim/split_class.hpp"

namespace wattfill {

/// Memory that the eight lanes of a replication share, in doubles.
WATTFILL_HD constexpr std::size_t device_scratch(std::uint64_t stride) { return 3 * stride + most_rank_kinds + score::count; }

/// One replication of a mix from its random numbers to its scores, on the host or on a device: the mix is drawn, every path is located at every target, scores
/// are written. The bits are those of Snapshot::replicate. `Lanes` are the eight threads that work on it (device_lanes.hpp); what stands outside of a pass is
/// done by all of them alike.
template <class Lanes>
class DeviceReplication {
 public:
  /// `scratch` has device_scratch(stride) entries, `out` the scores of the replication: [slot][target][score].
  WATTFILL_HD DeviceReplication(DeviceView const& view, Lanes const& lanes, double* scratch, double* out)
      : view_(view),
        head_(view.header),
        lanes_(lanes),
        jobs_(scratch),
        gpus_(jobs_ + head_.stride),
        reference_(gpus_ + head_.stride),
        rank_errors_(reference_ + head_.stride),
        row_(rank_errors_ + most_rank_kinds),
        out_(out) {}

  WATTFILL_HD void run(std::uint64_t replication) {
    draw(replication);
    weigh();
    for (std::uint64_t kind = 0; kind < head_.rank_kinds; ++kind) compare_ranks(kind);
    for (std::uint64_t t = 0; t < head_.targets; ++t) {
      auto const target = view_.at<DeviceTarget>(head_.target_table)[t];
      double const target_w = target.is_cut != 0 ? (1 - target.value) * uncapped_w_ : target.value;
      for (std::uint64_t p = 0; p < head_.paths; ++p) score_path(p, t, target_w);
    }
  }

 private:
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

  /// The speeds of all classes on the straight line from `lower` to `upper`.
  struct Line {
    double const* lower;
    double const* upper;
    double theta;
    WATTFILL_HD double at(std::uint64_t c) const {
      double const v = lower[c] + theta * (upper[c] - lower[c]);
      return v < upper[c] ? v : upper[c];
    }
  };
  /// How the class that a split path moves stands between two knots, see MovingClass of snapshot_kernel.cpp. cls: no class if the path is not split.
  struct Moving {
    std::uint64_t cls;
    double rest, middle, up;
    double slow, between, fast;
    double gap;
    WATTFILL_HD double base() const { return rest > 0 ? slow : middle > 0 ? between : fast; }
    WATTFILL_HD double base_jobs() const { return rest > 0 ? rest : middle > 0 ? middle : up; }
  };
  struct Guess {
    std::uint64_t cls;
    double speed, jobs;
  };
  enum Sum { v, gpus_v, value_v, worse, under, speed_v, squares, below, sums };
  using Sums = LanePart<sums, 1>;

  WATTFILL_HD double const* doubles(std::uint64_t offset) const { return view_.at<double>(offset); }

  /// Calls f with every class of a lane, padding included.
  template <class F>
  WATTFILL_HD void of_lane(unsigned lane, F const& f) const {
    for (std::uint64_t c = lane; c < head_.stride; c += device_lanes) f(c);
  }

  WATTFILL_HD void draw(std::uint64_t replication) {
    auto* const tally = reinterpret_cast<std::uint32_t*>(reference_);
    double const* gpus = doubles(head_.gpus);
    if (head_.drawn != 0) {
      auto const* columns = view_.at<DeviceColumn>(head_.columns);
      lanes_.each([&](unsigned lane) { of_lane(lane, [&](std::uint64_t c) { tally[c] = 0; }); });
      lanes_.each([&](unsigned lane) {
        for (std::uint64_t block = lane; 4 * block < head_.jobs; block += device_lanes) {
          auto const words = philox_block(head_.key, replication, Stream::jobs, static_cast<std::uint32_t>(block));
          for (unsigned w = 0; w < 4; ++w) {
            if (4 * block + w >= head_.jobs) break;
            auto const scaled = words.words[w] * head_.classes;
            auto const column = static_cast<std::uint32_t>(scaled >> 32U);
            lanes_.count(tally[static_cast<std::uint32_t>(scaled) < columns[column].threshold ? column : columns[column].alias]);
          }
        }
      });
    }
    double const* listed = doubles(head_.listed);
    lanes_.each([&](unsigned lane) {
      of_lane(lane, [&](std::uint64_t c) {
        jobs_[c] = head_.drawn != 0 ? tally[c] : listed[c];
        gpus_[c] = jobs_[c] * gpus[c];
      });
    });
  }

  /// What scores are divided by, and what can be cut.
  WATTFILL_HD void weigh() {
    double const* value = doubles(head_.value);
    double gpus = 0, values = 0;
    for (std::uint64_t c = 0; c < head_.classes; ++c) {
      gpus += gpus_[c];
      values += jobs_[c] * value[c];
    }
    total_gpus_ = gpus;
    total_value_ = head_.mean_objective != 0 ? values : 1;
    double const* ends = doubles(head_.ends_w);
    uncapped_w_ = power(ends + head_.stride);
    headroom_w_ = uncapped_w_ - power(ends);
  }

  /// Total draw where each class has the draws of `row` [W].
  WATTFILL_HD double power(double const* row) const {
    auto const joined = lanes_.template join<1, 0>([&](unsigned lane) {
      LanePart<1, 0> part{};
      of_lane(lane, [&](std::uint64_t c) { part.sum[0] += gpus_[c] * row[c]; });
      return part;
    });
    return joined.sum[0];
  }

  /// Share of the pairs of jobs whose order the told PFIs have wrong, see MixBeliefs::rank_errors. All sums are whole or half numbers: exact in any order.
  WATTFILL_HD void compare_ranks(std::uint64_t kind) const {
    double const* truth = doubles(head_.true_pfi);
    double const* told = doubles(head_.told_pfi) + kind * head_.stride;
    auto const pairs = lanes_.template join<2, 0>([&](unsigned lane) {
      LanePart<2, 0> part{};
      for (std::uint64_t c = 1; c < head_.classes; ++c) {
        if (!(jobs_[c] > 0)) continue;
        for (std::uint64_t d = lane; d < c; d += device_lanes) {
          if (!(truth[c] < truth[d] || truth[d] < truth[c])) continue;
          double const both = jobs_[c] * jobs_[d];
          part.sum[0] += both;
          if (told[c] == told[d])
            part.sum[1] += both / 2;
          else if ((told[c] < told[d]) != (truth[c] < truth[d]))
            part.sum[1] += both;
        }
      }
      return part;
    });
    lanes_.once([&] { rank_errors_[kind] = pairs.sum[0] > 0 ? pairs.sum[1] / pairs.sum[0] : 0; });
  }

  WATTFILL_HD void score_path(std::uint64_t p, std::uint64_t t, double target_w) const {
    auto const path = view_.path(p);
    double const* rows = doubles(path.rows);
    auto const at = search_budget([&](std::size_t knot) { return power(rows + knot * head_.stride); }, path.knots, target_w, path.knots / 2);
    auto const* first = view_.at<std::uint64_t>(path.first);
    auto const place = find_place(doubles(path.theta), first[at.knot], path.splits != 0 ? first[at.knot] + 1 : first[at.knot + 1], at.theta);
    auto line = speed_line(path, at, place);
    if (p == 0) lanes_.each([&](unsigned lane) { of_lane(lane, [&](std::uint64_t c) { reference_[c] = line.at(c) - speed_slack; }); });
    if (path.slot == no_slot) return;
    auto const moving = moving_class(path, at, line);
    if (path.splits != 0) line = {line.lower, line.lower, 0};
    auto const guess = guess_percentile(path, place, line, moving);
    auto const all = corrected(add_up(line, guess, moving), guess, moving);
    bool const right = all.sum[below] < p5_jobs() && all.sum[below] + guess.jobs >= p5_jobs();
    double const percentile = right ? guess.speed : walk_percentile(line, guess.speed, moving);
    double const gap = path.proves_hull != 0 ? moving.gap * doubles(head_.value)[moving.cls] / total_value_ : not_a_number;
    double const errors = path.rank_kind < head_.rank_kinds ? rank_errors_[path.rank_kind] : 0;
    lanes_.once([&] { write(all, at, target_w, percentile, gap, errors); });
    double* const out = out_ + (path.slot * head_.targets + t) * score::count;
    lanes_.each([&](unsigned lane) {
      for (std::size_t s = lane; s < score::count; s += device_lanes) out[s] = row_[s];
    });
  }

  WATTFILL_HD double p5_jobs() const { return static_cast<double>(head_.p5_count); }

  /// The last place from `lo` on, before `end`, that is not beyond `theta`.
  WATTFILL_HD static std::uint64_t find_place(double const* thetas, std::uint64_t lo, std::uint64_t end, double theta) {
    while (end - lo > 1) {
      auto const mid = lo + (end - lo) / 2;
      (thetas[mid] <= theta ? lo : end) = mid;
    }
    return lo;
  }

  WATTFILL_HD Line speed_line(DevicePath const& path, FillPosition const& at, std::uint64_t place) const {
    double const* lower = doubles(path.speeds) + place * head_.stride;
    if (at.knot + 1 == path.knots) return {lower, lower, 0};
    double const* theta = doubles(path.theta);
    double const from = theta[place], to = place + 1 == view_.at<std::uint64_t>(path.first)[at.knot + 1] ? 1 : theta[place + 1];
    return {lower, lower + head_.stride, (at.theta - from) / (to - from)};
  }

  WATTFILL_HD Moving moving_class(DevicePath const& path, FillPosition const& at, Line const& line) const {
    if (path.splits == 0) return {head_.stride, 0, 0, 0, 0, 0, 0, 0};
    auto const move = view_.at<DeviceMove>(path.moves)[at.knot];
    double const* draw = doubles(path.rows) + at.knot * head_.stride + move.cls;
    double const slow = line.lower[move.cls], fast = line.upper[move.cls], upper_w = at.knot + 1 < path.knots ? draw[head_.stride] : draw[0];
    auto const split = split_class(jobs_[move.cls], at.theta, draw[0], upper_w);
    double const bound = slow + split.part * (fast - slow), middle = split.part > 0 ? 1 : 0;
    CurveView const curve{doubles(move.draws), doubles(move.speeds), static_cast<int>(move.points)};
    double const between = curve.n == 2 ? bound : curve.speed(split.middle_w) / move.full_speed;
    return {move.cls, jobs_[move.cls] - split.up - middle, middle, split.up, slow, between, fast, middle > 0 && bound > between ? bound - between : 0};
  }

  /// The fifth percentile if the order of the classes were that at the line's lower end.
  WATTFILL_HD Guess guess_percentile(DevicePath const& path, std::uint64_t place, Line const& line, Moving const& moving) const {
    auto const* by_speed = view_.at<std::uint32_t>(path.by_speed) + place * head_.classes;
    double jobs = 0;
    std::uint64_t i = 0;
    for (; i + 1 < head_.classes; ++i) {
      jobs += jobs_[by_speed[i]];
      if (jobs >= p5_jobs()) break;
    }
    std::uint64_t const c = by_speed[i];
    if (c == moving.cls) return {c, moving.base(), moving.base_jobs()};
    return {c, line.at(c), jobs_[c]};
  }

  /// One pass over the classes; the moving class is first taken to stand at its base as a whole.
  WATTFILL_HD Sums add_up(Line const& line, Guess const& guess, Moving const& moving) const {
    double const *gpus = doubles(head_.gpus), *value = doubles(head_.value), *full_speed = doubles(head_.full_speed), *min_speed = doubles(head_.min_speed);
    return lanes_.template join<sums, 1>([&](unsigned lane) {
      Sums part{};
      part.least[0] = 2;
      of_lane(lane, [&](std::uint64_t c) {
        double const n = jobs_[c], speed = c == moving.cls ? moving.base() : line.at(c), nv = n * speed;
        part.sum[v] += nv;
        part.sum[squares] += nv * speed;
        part.sum[gpus_v] += nv * gpus[c];
        part.sum[value_v] += nv * value[c];
        part.sum[speed_v] += nv * full_speed[c];
        part.sum[worse] += speed < reference_[c] ? n : 0;
        part.sum[under] += speed < min_speed[c] ? n : 0;
        part.sum[below] += speed < guess.speed ? n : 0;
        if (0 < n && speed < part.least[0]) part.least[0] = speed;
      });
      return part;
    });
  }

  /// The sums with the jobs of the moving class where they are.
  WATTFILL_HD Sums corrected(Sums all, Guess const& guess, Moving const& moving) const {
    auto const c = moving.cls;
    if (c == head_.stride) return all;
    double const base = moving.base(), more = moving.up * (moving.fast - base) + moving.middle * (moving.between - base);
    auto const crossed = [&](double limit) {
      double const at_base = base < limit ? 1 : 0;
      return moving.up * ((moving.fast < limit ? 1 : 0) - at_base) + moving.middle * ((moving.between < limit ? 1 : 0) - at_base);
    };
    all.sum[v] += more;
    all.sum[gpus_v] += more * doubles(head_.gpus)[c];
    all.sum[value_v] += more * doubles(head_.value)[c];
    all.sum[worse] += crossed(reference_[c]);
    all.sum[under] += crossed(doubles(head_.min_speed)[c]);
    all.sum[speed_v] += more * doubles(head_.full_speed)[c];
    all.sum[squares] += moving.up * (moving.fast * moving.fast - base * base) + moving.middle * (moving.between * moving.between - base * base);
    all.sum[below] += crossed(guess.speed);
    return all;
  }

  /// The smallest speed that at least 5 % of the jobs do not exceed, found by walking from speed to speed: the guess is rarely far.
  WATTFILL_HD double walk_percentile(Line const& line, double speed, Moving const& moving) const {
    for (;;) {
      // jobs that are slower, jobs at this speed; the next faster speed, the next slower one with its sign turned
      auto const here = lanes_.template join<2, 2>([&](unsigned lane) {
        LanePart<2, 2> part{{0, 0}, {infinite, infinite}};
        auto const stand = [&](double at, double n) {
          if (!(n > 0)) return;
          if (at < speed) {
            part.sum[0] += n;
            if (-at < part.least[1]) part.least[1] = -at;
          } else if (speed < at) {
            if (at < part.least[0]) part.least[0] = at;
          } else {
            part.sum[1] += n;
          }
        };
        of_lane(lane, [&](std::uint64_t c) {
          if (c != moving.cls) return stand(line.at(c), jobs_[c]);
          stand(moving.slow, moving.rest);
          stand(moving.between, moving.middle);
          stand(moving.fast, moving.up);
        });
        return part;
      });
      if (here.sum[0] >= p5_jobs())
        speed = -here.least[1];
      else if (here.sum[0] + here.sum[1] >= p5_jobs())
        return speed;
      else
        speed = here.least[0];
    }
  }

  WATTFILL_HD void write(Sums const& all, FillPosition const& at, double target_w, double percentile, double gap, double errors) const {
    double const jobs = static_cast<double>(head_.jobs), mean_v = all.sum[v] / jobs;
    bool const add_up = head_.speeds_add_up != 0;
    row_[score::target_w] = target_w;
    row_[score::power_w] = at.power_w;
    row_[score::shortfall_w] = at.shortfall_w;
    row_[score::speed] = add_up ? all.sum[speed_v] : not_a_number;
    row_[score::speed_per_job] = add_up ? all.sum[speed_v] / jobs : not_a_number;
    row_[score::speed_normalized] = mean_v;
    row_[score::speed_gpu] = all.sum[gpus_v] / total_gpus_;
    row_[score::speed_p5] = percentile;
    row_[score::speed_min] = all.least[0];
    row_[score::objective] = all.sum[value_v] / total_value_;
    row_[score::hull_gap] = gap;
    row_[score::share_worse] = all.sum[worse] / jobs;
    row_[score::share_below_min] = all.sum[under] / jobs;
    row_[score::jain_index] = all.sum[squares] > 0 ? all.sum[v] * mean_v / all.sum[squares] : not_a_number;
    row_[score::headroom_w] = headroom_w_;
    row_[score::rank_errors] = errors;
  }

  DeviceView const& view_;
  DeviceHeader const& head_;
  Lanes const& lanes_;
  double *jobs_, *gpus_, *reference_, *rank_errors_, *row_, *out_;
  double total_gpus_ = 0, total_value_ = 0, uncapped_w_ = 0, headroom_w_ = 0;
};

/// What a group of lanes, whose first thread is `thread` of `block`, does in a launch. `shared` is the memory of the block.
template <class Lanes>
WATTFILL_HD void run_group(DeviceView const& view, DeviceLaunch const& launch, Lanes const& lanes, std::uint64_t block, unsigned thread, double* shared,
                           double* scores) {
  std::uint64_t const group = thread / device_lanes, index = block * launch.groups + group;
  if (index >= launch.count) return;  // the tail of the last block
  auto const& head = view.header;
  DeviceReplication<Lanes>(view, lanes, shared + group * device_scratch(head.stride), scores + index * head.slots * head.targets * score::count)
      .run(launch.first + index);
}

}  // namespace wattfill
