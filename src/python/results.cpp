// Studies are run, results are looked at.
#include <algorithm>
#include <atomic>
#include <set>

#include "python/module.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/study/study.hpp"
#include "wattfill/study/timeline_study.hpp"

namespace wattfill::python {
namespace {

using Shape = std::vector<py::ssize_t>;
py::ssize_t size(std::size_t n) { return static_cast<py::ssize_t>(n); }

/// Means and half widths of moments.
struct Spread {
  std::vector<double> mean, half_width;
  Spread() = default;
  Spread(Moments const& of, std::size_t columns) {
    for (std::size_t c = 0; of.count() > 0 && c < columns; ++c) {
      mean.push_back(of.mean(c));
      half_width.push_back(of.half_width(c));
    }
  }
};

struct SnapshotResult {
  struct Mix {
    std::string name;
    std::uint64_t replications = 0;
    std::vector<double> rows;  // [replication][policy][target][score]
    Spread scores, vs_reference, vs_oracle;
    std::vector<Estimate> gap_closed;
  };
  std::vector<std::string> policies, scores;
  std::vector<double> targets;
  bool cuts = true;
  std::vector<Mix> mixes;

  Mix const& at(std::string const& name) const {
    auto const found = std::ranges::find(mixes, name, &Mix::name);
    if (found == mixes.end()) throw py::key_error("there is no mix " + quotation(name) + "; .mixes lists them");
    return *found;
  }
  Shape shape() const { return {size(policies.size()), size(targets.size()), size(scores.size())}; }
};

struct TimelineResult {
  std::vector<std::string> policies, metrics;
  std::uint64_t replications = 0;
  std::vector<double> rows;  // [replication][policy][metric]
  std::optional<Spread> all, vs_reference;
};

/// Rows go to where they belong at once, each thread's to its own.
class Rows final : public RowSink {
 public:
  Rows(std::vector<SnapshotResult::Mix>& mixes, std::size_t columns) : mixes_(mixes), columns_(columns) {}
  void format(std::size_t mix, std::uint64_t first, std::uint64_t, std::span<double const> scores, RowText&) const override {
    std::ranges::copy(scores, mixes_[mix].rows.begin() + static_cast<std::ptrdiff_t>(first * columns_));
  }
  void write(std::string_view, std::string_view) override {}

 private:
  std::vector<SnapshotResult::Mix>& mixes_;
  std::size_t columns_;
};

/// Ctrl-C of Python ends a run: looked for between chunks, by the thread that called.
class Signals {
 public:
  std::atomic<bool> stop = false;
  void look() {
    py::gil_scoped_acquire const gil;
    if (PyErr_CheckSignals() == 0) return;
    thrown_ = std::make_exception_ptr(py::error_already_set());
    stop = true;
  }
  template <class Run>
  auto watch(Run run) {
    try {
      return run();
    } catch (Interrupted const&) {
      if (thrown_) std::rethrow_exception(thrown_);
      throw;
    }
  }

 private:
  std::exception_ptr thrown_;
};

template <class Policies>
void refuse_twins(Policies const& policies) {
  std::set<std::string> labels;
  for (auto const& policy : policies)
    if (!labels.insert(policy.shown()).second)
      throw InputError("two policies are called " + quotation(policy.shown()) + " (results are told apart by it); give this one another name");
}

SnapshotResult run_snapshot(LoadedPoint const& loaded, OwnRules const& rules, std::size_t threads, bool rows) {
  auto study = loaded.point->study;
  for (auto const& rule : rules) study.policies.push_back(own_policy(rule));
  refuse_twins(study.policies);
  py::gil_scoped_release const released;
  SnapshotResult result;
  for (auto const& policy : study.policies) result.policies.push_back(policy.shown());
  auto const targets = targets_of(study);
  for (auto const& target : targets) result.targets.push_back(target.value);
  result.cuts = targets.empty() || targets.front().kind == Target::Kind::cut;
  auto const count = static_cast<std::size_t>(study.metering ? score::metered_count : score::count);
  for (std::size_t s = 0; s < count; ++s) result.scores.emplace_back(score_table()[s].column);
  auto const columns = study.policies.size() * targets.size() * count;
  std::vector<SnapshotResult::Mix> kept;
  for (auto const& mix : study.mixes) {
    kept.push_back({mix.name, mix.listed.empty() ? mix.replications : 1, {}, Spread(), Spread(), Spread(), {}});
    if (rows) kept.back().rows.resize(kept.back().replications * columns);
  }
  Rows sink(kept, columns);
  Signals signals;
  RunOptions options;
  if (rows) options.rows = &sink;
  options.stop = &signals.stop;
  options.progress = [&](std::uint64_t) { signals.look(); };
  auto const executor = make_executor(static_cast<unsigned>(threads));
  auto const done = signals.watch([&] { return run_study(study, *executor, options); });
  for (std::size_t m = 0; m < kept.size(); ++m) {
    auto const& mix = done.mixes[m];
    kept[m].scores = Spread(mix.scores, columns);
    kept[m].vs_reference = Spread(mix.vs_reference, done.reference ? columns : 0);
    kept[m].vs_oracle = Spread(mix.vs_oracle, done.oracle ? columns : 0);
    kept[m].gap_closed = mix.gap_closed;
  }
  result.mixes = std::move(kept);
  return result;
}

TimelineResult run_timeline(LoadedPoint const& loaded, OwnRules const& rules, std::size_t threads, bool rows) {
  auto study = loaded.point->timeline;
  for (auto const& rule : rules) study.policies.emplace_back().rule = own_policy(rule);
  refuse_twins(study.policies);
  py::gil_scoped_release const released;
  TimelineResult result;
  for (auto const& policy : study.policies) result.policies.push_back(policy.shown());
  for (auto const& info : metric_table()) result.metrics.emplace_back(info.column);
  result.replications = study.replications();
  auto const columns = study.policies.size() * static_cast<std::size_t>(metric::count);
  Signals signals;
  TimelineOptions options;
  options.stop = &signals.stop;
  options.progress = [&](std::uint64_t) { signals.look(); };
  if (rows) options.row = [&](std::uint64_t, std::span<double const> metrics) { result.rows.insert(result.rows.end(), metrics.begin(), metrics.end()); };
  auto const executor = make_executor(static_cast<unsigned>(threads));
  auto const done = signals.watch([&] { return run_timelines(study, *executor, options); });
  result.all.emplace(done.metrics, columns);
  result.vs_reference.emplace(done.vs_reference, done.reference ? columns : 0);
  return result;
}

std::shared_ptr<Trace> trace(LoadedPoint const& loaded, std::string const& policy, OwnRules const& rules, std::uint64_t replication) {
  auto study = loaded.point->timeline;
  for (auto const& rule : rules) study.policies.emplace_back().rule = own_policy(rule);
  std::erase_if(study.policies, [&](auto const& p) { return p.shown() != policy; });
  if (study.policies.empty()) throw py::key_error("there is no policy " + quotation(policy));
  if (replication >= study.replications())
    throw InputError("there is no replication " + std::to_string(replication) + "; this study has " + std::to_string(study.replications()) +
                     ", counted from 0");
  py::gil_scoped_release const released;
  auto seen = std::make_shared<Trace>();
  seen->metrics = run_replication(study, replication, [&](std::size_t, Timeline const& timeline) {
    for (auto const& job : timeline.jobs()) seen->jobs_of_timeline.push_back(job.id);
    return seen.get();
  });
  return seen;
}

/// What a mix keeps, as an array; empty numbers: there is nothing to show.
template <class T>
py::object of_mix(py::object const& self, std::string const& name, std::vector<T> const& (*what)(SnapshotResult::Mix const&), Shape shape) {
  auto const& values = what(self.cast<SnapshotResult const&>().at(name));
  if (values.empty()) return py::none();
  return view(reinterpret_cast<double const*>(values.data()), std::move(shape), self);
}

std::size_t threads_of(std::optional<std::size_t> threads) {
  if (threads && (*threads < 1 || *threads > 4096)) throw InputError("threads: " + std::to_string(*threads) + " is not possible; give 1 to 4096");
  return threads.value_or(available_threads());
}

using PowerRow = TimelineObserver::PowerRow;
using JobRow = TimelineObserver::JobRow;
using TraceEvent = Trace::Event;

}  // namespace

void add_results(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(PowerRow, time_s, limit_w, gpu_w, it_w, meter_w, meter_shown_w, limit_it_w, limit_meter_w);
  PYBIND11_NUMPY_DTYPE(JobRow, start_s, finish_s, energy_j, left_s, gpus);
  PYBIND11_NUMPY_DTYPE(TraceEvent, time_s, value, job, kind);
  using Mix = SnapshotResult::Mix;
  using Doubles = std::vector<double>;
  py::class_<SnapshotResult> snapshot(module, "SnapshotResult",
                                      "Results of one sweep point; arrays read C++ memory and keep it alive. None: there is no such thing.");
  snapshot.def_readonly("policies", &SnapshotResult::policies)
      .def_readonly("scores", &SnapshotResult::scores, "Names along the last axis: the columns of replications.csv.")
      .def_property_readonly("mixes",
                             [](SnapshotResult const& r) {
                               std::vector<std::string> names;
                               for (auto const& mix : r.mixes) names.push_back(mix.name);
                               return names;
                             })
      .def_property_readonly(
          "targets", [](py::object const& self) { return view(self.cast<SnapshotResult const&>().targets, self); }, "Cuts, or limits in W.")
      .def_readonly("targets_are_cuts", &SnapshotResult::cuts)
      .def(
          "rows",
          [](py::object const& self, std::string const& name) -> py::object {
            auto const& r = self.cast<SnapshotResult const&>();
            auto const& mix = r.at(name);
            if (mix.rows.empty()) return py::none();
            auto shape = r.shape();
            shape.insert(shape.begin(), size(mix.replications));
            return view(mix.rows.data(), shape, self);
          },
          py::arg("mix"), "[replication, policy, target, score]");
  auto const by_mix = [&](char const* name, Doubles const& (*what)(Mix const&), char const* doc) {
    snapshot.def(
        name, [what](py::object const& self, std::string const& mix) { return of_mix(self, mix, what, self.cast<SnapshotResult const&>().shape()); },
        py::arg("mix"), doc);
  };
  by_mix(
      "mean", [](Mix const& m) -> Doubles const& { return m.scores.mean; }, "[policy, target, score]");
  by_mix(
      "half_width", [](Mix const& m) -> Doubles const& { return m.scores.half_width; }, "Of the 95 % interval of the mean, [policy, target, score].");
  by_mix(
      "vs_reference", [](Mix const& m) -> Doubles const& { return m.vs_reference.mean; },
      "Mean paired difference to the reference policy, [policy, target, score].");
  by_mix(
      "vs_reference_half_width", [](Mix const& m) -> Doubles const& { return m.vs_reference.half_width; }, "[policy, target, score]");
  by_mix(
      "vs_oracle", [](Mix const& m) -> Doubles const& { return m.vs_oracle.mean; }, "Mean paired difference to the oracle, [policy, target, score].");
  static_assert(sizeof(Estimate) == 3 * sizeof(double));
  snapshot.def(
      "gap_closed",
      [](py::object const& self, std::string const& mix) {
        auto const& r = self.cast<SnapshotResult const&>();
        return of_mix<Estimate>(self, mix, [](Mix const& m) -> std::vector<Estimate> const& { return m.gap_closed; },
                                {size(r.policies.size()), size(r.targets.size()), 3});
      },
      py::arg("mix"), "Share of the way from the reference to the oracle: [policy, target, (value, low, high)].");

  py::class_<TimelineResult>(module, "TimelineResult", "Results of one sweep point; arrays read C++ memory and keep it alive. None: there is no such thing.")
      .def_readonly("policies", &TimelineResult::policies)
      .def_readonly("metrics", &TimelineResult::metrics, "Names along the last axis: the columns of replications.csv.")
      .def_property_readonly(
          "rows",
          [](py::object const& self) -> py::object {
            auto const& r = self.cast<TimelineResult const&>();
            if (r.rows.empty()) return py::none();
            return view(r.rows.data(), {size(r.replications), size(r.policies.size()), size(r.metrics.size())}, self);
          },
          "[replication, policy, metric]")
      .def_property_readonly(
          "mean",
          [](py::object const& self) {
            auto const& r = self.cast<TimelineResult const&>();
            return view(r.all->mean.data(), {size(r.policies.size()), size(r.metrics.size())}, self);
          },
          "[policy, metric]")
      .def_property_readonly(
          "half_width",
          [](py::object const& self) {
            auto const& r = self.cast<TimelineResult const&>();
            return view(r.all->half_width.data(), {size(r.policies.size()), size(r.metrics.size())}, self);
          },
          "Of the 95 % interval of the mean, [policy, metric].")
      .def_property_readonly(
          "vs_reference",
          [](py::object const& self) -> py::object {
            auto const& r = self.cast<TimelineResult const&>();
            if (r.vs_reference->mean.empty()) return py::none();
            return view(r.vs_reference->mean.data(), {size(r.policies.size()), size(r.metrics.size())}, self);
          },
          "Mean paired difference to the reference policy, [policy, metric].");

  py::class_<Trace, std::shared_ptr<Trace>>(module, "Trace", "Everything that one run of a timeline told; structured arrays over C++ memory.")
      .def_property_readonly(
          "power", [](py::object const& self) { return view(self.cast<Trace const&>().powers, self); }, "As power.csv: a row per change.")
      .def_property_readonly(
          "jobs", [](py::object const& self) { return view(self.cast<Trace const&>().jobs, self); }, "In the order of job_ids.")
      .def_property_readonly(
          "events", [](py::object const& self) { return view(self.cast<Trace const&>().events, self); }, "kind: index of event_kinds.")
      .def_readonly("job_ids", &Trace::jobs_of_timeline)
      .def_property_readonly("metrics", [](Trace const& t) {
        py::dict all;
        for (std::size_t m = 0; m < t.metrics.size(); ++m) all[py::str(std::string(metric_table()[m].column))] = t.metrics[m];
        return all;
      });
  std::vector<std::string> kinds;
  for (int k = 0; k <= static_cast<int>(EventKind::start); ++k) kinds.emplace_back(to_string(static_cast<EventKind>(k)));
  module.attr("event_kinds") = kinds;

  using Loaded = std::shared_ptr<Scenario>;
  module.def(
      "run",
      [](Loaded const& scenario, py::dict const& policies, std::size_t point, std::optional<std::size_t> threads, bool rows) -> py::object {
        auto const loaded = point_of(scenario, point);
        auto const rules = own_rules(policies);
        if (scenario->kind == "timeline") return py::cast(run_timeline(loaded, rules, threads_of(threads), rows));
        return py::cast(run_snapshot(loaded, rules, threads_of(threads), rows));
      },
      py::arg("scenario"), py::kw_only(), py::arg("policies") = py::dict(), py::arg("point") = 0, py::arg("threads") = py::none(), py::arg("rows") = true,
      "Runs a study; the results are those of the command line to the bit, for any threads.\n\n"
      "policies: {label: rule, ...}, beside those of the scenario. rule(demands) gives an array: draws of one GPU [W] at the knots of a path from all floors "
      "to\n"
      "all uncapped, [knots, classes]; or the share of the cut that a job of each class bears, [classes]. It is asked once for a mix (where beliefs are drawn\n"
      "anew, once a replication), by one thread at a time in no order, so that it must be a pure function for results that repeat.");
  module.def(
      "trace",
      [](Loaded const& scenario, std::string const& policy, py::dict const& policies, std::uint64_t replication, std::size_t point) {
        if (scenario->kind != "timeline") throw InputError("only runs of timelines can be traced; this scenario is a " + scenario->kind);
        return trace(point_of(scenario, point), policy, own_rules(policies), replication);
      },
      py::arg("scenario"), py::arg("policy"), py::kw_only(), py::arg("policies") = py::dict(), py::arg("replication") = 0, py::arg("point") = 0,
      "One run of a timeline under one policy, with its power, jobs and events.");
}

}  // namespace wattfill::python
