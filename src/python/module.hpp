#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattfill/policy/policy_spec.hpp"
#include "wattfill/scenario/scenario.hpp"
#include "wattfill/sim/timeline.hpp"

/// The library as a Python module: what Python hands in becomes the library's own words, what comes out are its objects and views of their memory. No model,
/// no sums here.
namespace wattfill::python {

namespace py = pybind11;

// What each file of this folder adds to the module.
void add_errors(py::module_& module);
void add_libraries(py::module_& module);
void add_scenarios(py::module_& module);
void add_results(py::module_& module);
void add_sessions(py::module_& module);

/// An array that reads the memory of a C++ object, which it keeps alive through `owner`; nothing is copied, and nobody can write there.
template <class T>
py::array view(T const* data, std::vector<py::ssize_t> shape, py::handle owner, std::vector<py::ssize_t> strides = {}) {
  py::array array(py::dtype::of<T>(), std::move(shape), std::move(strides), data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}
template <class T>
py::array view(std::vector<T> const& values, py::handle owner) {
  return view(values.data(), {static_cast<py::ssize_t>(values.size())}, owner);
}

/// A sweep point of a loaded scenario, which lives as long as anything made from it.
struct LoadedPoint {
  std::shared_ptr<Scenario const> scenario;
  SweepPoint const* point;
};
/// InputError if there is no such point.
LoadedPoint point_of(std::shared_ptr<Scenario const> const& scenario, std::size_t point);

/// Rules that are Python callables, by label. A rule is called with what it may know of the classes of jobs, and gives draws [knots, classes] or shares of the
/// cut [classes]; it is called by one thread at a time.
using OwnRules = std::vector<std::pair<std::string, py::function>>;
OwnRules own_rules(py::dict const& rules);
PolicySpec own_policy(std::pair<std::string, py::function> const& rule);

/// Everything that one run told.
struct Trace final : TimelineObserver {
  struct Event {
    double time_s, value;
    std::uint32_t job;
    std::uint8_t kind;
  };
  std::vector<std::string> jobs_of_timeline;
  std::vector<PowerRow> powers;
  std::vector<Event> events;
  std::vector<JobRow> jobs;
  std::vector<double> metrics;

  void power(PowerRow const& row) override { powers.push_back(row); }
  void event(double time_s, EventKind kind, std::uint32_t job, double value) override {
    events.push_back({time_s, value, job, static_cast<std::uint8_t>(kind)});
  }
  void job(std::uint32_t, JobRow const& row) override { jobs.push_back(row); }
};

}  // namespace wattfill::python
