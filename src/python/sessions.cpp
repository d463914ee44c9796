// Timelines in the hands of a controller.
#include <algorithm>
#include <cmath>
#include <map>

#include "python/module.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/sim/timeline_session.hpp"
#include "wattfill/study/timeline_study.hpp"

namespace wattfill::python {
namespace {

using Seen = TimelineSession::Seen;
using JobSeen = TimelineSession::JobSeen;

/// What a controller sees, with the state as a number that NumPy can hold.
struct SeenJob {
  double gpus, draw_w, cap_w, speed, left_s, energy_j;
  std::uint8_t state;
};
struct Observation {
  Seen seen;
  std::vector<SeenJob> jobs;
  explicit Observation(Seen of) : seen(std::move(of)) {
    for (auto const& j : seen.jobs) jobs.push_back({j.gpus, j.draw_w, j.cap_w, j.speed, j.left_s, j.energy_j, static_cast<std::uint8_t>(j.state)});
  }
};

/// A session with all that it stands on.
class Session {
 public:
  Session(std::shared_ptr<Scenario> const& scenario, std::uint64_t replication, std::size_t point, std::map<std::string, std::vector<double>> const& sizes)
      : loaded_(point_of(scenario, point)), timeline_(timeline_in(loaded_, replication)) {
    std::vector<std::pair<std::uint32_t, double>> resizes;
    for (auto const& job : timeline_.jobs()) {
      numbers_[job.id] = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(job.id);
    }
    for (auto const& [id, gpus] : sizes)
      for (auto const g : gpus) resizes.emplace_back(number(id), g);
    trace_->jobs_of_timeline = ids_;
    session_.emplace(timeline_, resizes, trace_.get());
  }

  std::uint32_t number(std::string const& id) const {
    auto const found = numbers_.find(id);
    if (found == numbers_.end()) throw InputError("there is no job " + quotation(id) + "; .job_ids lists them");
    return found->second;
  }
  TimelineSession& operator*() { return *session_; }
  std::vector<std::string> const& ids() const { return ids_; }

  void act(ActionSpec::Kind kind, std::string const& id, double value) { session_->act(kind, number(id), value); }

  void advance(std::optional<double> until) {
    auto const next = session_->next_event_s();
    if (!until && !std::isfinite(next)) throw InputError("nothing happens any more unless somebody acts; say until when to advance, or finish");
    session_->advance(until.value_or(next));
  }

  /// Caps of all jobs [W, one GPU]; NaN leaves a job as it is, as does the cap that it has.
  void allocate(std::vector<double> const& caps) {
    if (caps.size() != ids_.size())
      throw InputError("allocate was given " + std::to_string(caps.size()) + " caps for " + std::to_string(ids_.size()) +
                       " jobs; give one a job, nan to leave one alone");
    auto const seen = session_->observe();
    for (std::uint32_t j = 0; j < caps.size(); ++j)
      if (!std::isnan(caps[j]) && caps[j] != seen.jobs[j].cap_w && seen.jobs[j].state != TimelineSession::JobState::finished)
        session_->act(ActionSpec::Kind::cap, j, caps[j]);
  }

  std::shared_ptr<Trace> finish() {
    auto const metrics = session_->finish();
    trace_->metrics.assign(metrics.begin(), metrics.end());
    return trace_;
  }

 private:
  static Timeline timeline_in(LoadedPoint const& loaded, std::uint64_t replication) {
    if (loaded.scenario->kind != "timeline") throw InputError("only timelines have sessions; this scenario is a " + loaded.scenario->kind);
    auto const there = loaded.point->timeline.replications();
    if (replication >= there)
      throw InputError("there is no replication " + std::to_string(replication) + "; this study has " + std::to_string(there) + ", counted from 0");
    return timeline_of(loaded.point->timeline, replication);
  }

  LoadedPoint loaded_;
  Timeline timeline_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> ids_;
  std::shared_ptr<Trace> trace_ = std::make_shared<Trace>();
  std::optional<TimelineSession> session_;
};

}  // namespace

void add_sessions(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(SeenJob, gpus, draw_w, cap_w, speed, left_s, energy_j, state);
  auto observation = py::class_<Observation, std::shared_ptr<Observation>>(module, "Observation",
                                                                           "What a controller sees at one instant; nan: there is no facility, inf: no limit.");
  auto const number = [&](char const* name, double Seen::*member) {
    observation.def_property_readonly(name, [member](Observation const& o) { return o.seen.*member; });
  };
  number("time_s", &Seen::time_s);
  number("limit_w", &Seen::limit_w);
  number("aim_w", &Seen::aim_w);
  number("limit_it_w", &Seen::limit_it_w);
  number("limit_meter_w", &Seen::limit_meter_w);
  number("gpu_w", &Seen::gpu_w);
  number("it_w", &Seen::it_w);
  number("meter_w", &Seen::meter_w);
  number("meter_shown_w", &Seen::shown_w);
  number("free_gpus", &Seen::free_gpus);
  observation.def_property_readonly(
      "jobs", [](py::object const& self) { return view(self.cast<Observation const&>().jobs, self); },
      "In the order of job_ids: gpus, draw_w and cap_w of one GPU, speed (T/T_max), left_s, energy_j, state (index of job_states).");
  std::vector<std::string> states;
  for (int s = 0; s <= static_cast<int>(TimelineSession::JobState::finished); ++s) states.emplace_back(to_string(static_cast<TimelineSession::JobState>(s)));
  module.attr("job_states") = states;

  using Kind = ActionSpec::Kind;
  auto const released = py::call_guard<py::gil_scoped_release>();
  py::class_<Session>(module, "Session",
                      "A timeline in the hands of a controller: observe, act, advance. Jobs that are left alone draw what they want, whatever the limit.\n"
                      "The same actions as a list (policy replay) give the same results. Contracts are not settled.")
      .def(py::init<std::shared_ptr<Scenario> const&, std::uint64_t, std::size_t, std::map<std::string, std::vector<double>> const&>(), py::arg("scenario"),
           py::kw_only(), py::arg("replication") = 0, py::arg("point") = 0, py::arg("resizes") = std::map<std::string, std::vector<double>>{}, released,
           "resizes: {job: [GPUs, ...]} that resize may be asked for.")
      .def_property_readonly("job_ids", &Session::ids)
      .def_property_readonly("time_s", [](Session& s) { return (*s).time_s(); })
      .def_property_readonly(
          "next_event_s", [](Session& s) { return (*s).next_event_s(); },
          "When something happens if nobody acts, the end of the timeline too; inf: nothing will.")
      .def_property_readonly(
          "over", [](Session& s) { return (*s).over(); }, "The run is at the end of the timeline; if it has none, every job has come and finished.")
      .def(
          "observe", [](Session& s) { return std::make_shared<Observation>((*s).observe()); }, released)
      .def("allocate", &Session::allocate, py::arg("caps_w"), released,
           "Caps of all jobs at once, in the order of job_ids [W, one GPU]; nan leaves a job as it is, inf uncaps.")
      .def(
          "cap", [](Session& s, std::string const& job, double watts) { s.act(Kind::cap, job, watts); }, py::arg("job"), py::arg("cap_w"), released,
          "One GPU [W]; inf uncaps.")
      .def(
          "pause", [](Session& s, std::string const& job) { s.act(Kind::pause, job, 0); }, py::arg("job"), released)
      .def(
          "resume", [](Session& s, std::string const& job) { s.act(Kind::resume, job, 0); }, py::arg("job"), released)
      .def(
          "resize", [](Session& s, std::string const& job, double gpus) { s.act(Kind::resize, job, gpus); }, py::arg("job"), py::arg("gpus"), released)
      .def("advance", &Session::advance, py::arg("until_s") = py::none(), released,
           "Lets time go on, to the next event unless a time is given; everything up to and at it happens.")
      .def("finish", &Session::finish, released, "Ends the run here and gives its Trace with the metrics.");
}

}  // namespace wattfill::python
