// Scenarios, and rules that are Python callables.
#include <pybind11/stl/filesystem.h>

#include <algorithm>

#include "python/module.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/policy/policy.hpp"

namespace wattfill::python {
namespace {

/// What a rule is told; a copy, as a callable may keep it.
struct Told {
  std::vector<Demand> demands;
  std::vector<Curve> curves;  // what `believed` points to

  explicit Told(std::span<Demand const> of) : demands(of.begin(), of.end()) {
    curves.reserve(demands.size());
    for (auto& demand : demands) demand.believed = &curves.emplace_back(*demand.believed);
  }
  Told(Told const&) = delete;
  Told& operator=(Told const&) = delete;
};

class Callable final : public Policy {
 public:
  explicit Callable(py::function rule) : rule_(std::move(rule)) {}
  ~Callable() override {
    py::gil_scoped_acquire const gil;
    rule_ = {};
  }

  FillPlan prepare(std::span<Demand const> demands) const override {
    std::vector<double> numbers;
    bool shares = false;
    {
      py::gil_scoped_acquire const gil;
      auto const told = std::make_shared<Told>(demands);
      using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
      auto const answer = Numbers::ensure(rule_(told));
      if (!answer) {
        PyErr_Clear();
        throw InputError(
            "the rule gave no array of numbers (it says what jobs draw, or their shares of the cut); give draws [knots, classes] or shares [classes]");
      }
      if (answer.ndim() != 1 && (answer.ndim() != 2 || answer.shape(1) != static_cast<py::ssize_t>(demands.size())))
        throw InputError("the rule gave an array of " + std::to_string(answer.ndim()) + " dimensions and " + std::to_string(answer.size()) + " numbers for " +
                         std::to_string(demands.size()) + " classes of jobs; give draws [knots, classes] or shares [classes]");
      shares = answer.ndim() == 1;
      numbers.assign(answer.data(), answer.data() + answer.size());
    }
    return shares ? path_of_shares(demands, numbers) : path_of_draws(demands, numbers);
  }

 private:
  py::function rule_;
};

/// A column of the demands.
template <double Demand::*member>
py::array column(py::object const& self) {
  auto const& demands = self.cast<Told const&>().demands;
  if (demands.empty()) return py::array_t<double>(0);
  return view(&(demands.front().*member), {static_cast<py::ssize_t>(demands.size())}, self, {static_cast<py::ssize_t>(sizeof(Demand))});
}

}  // namespace

LoadedPoint point_of(std::shared_ptr<Scenario const> const& scenario, std::size_t point) {
  if (point >= scenario->points.size())
    throw InputError("there is no sweep point " + std::to_string(point) + "; this scenario has " + std::to_string(scenario->points.size()) +
                     ", counted from 0");
  return {scenario, &scenario->points[point]};
}

OwnRules own_rules(py::dict const& rules) {
  OwnRules all;
  for (auto const& [label, rule] : rules) {
    if (!PyCallable_Check(rule.ptr())) throw py::type_error("policies: " + py::cast<std::string>(py::str(label)) + " is no callable");
    all.emplace_back(label.cast<std::string>(), py::reinterpret_borrow<py::function>(rule));
  }
  return all;
}

PolicySpec own_policy(std::pair<std::string, py::function> const& rule) {
  PolicySpec spec;
  spec.name = "own";
  spec.label = rule.first;
  spec.own = std::make_shared<Callable const>(rule.second);
  return spec;
}

void add_scenarios(py::module_& module) {
  py::class_<Told, std::shared_ptr<Told>>(module, "Demands", "What a policy may know of the classes of equal jobs; one number a class, watts of one GPU.")
      .def_property_readonly(
          "curves",
          [](std::shared_ptr<Told> const& told) {
            std::vector<std::shared_ptr<Curve>> all;
            for (auto& curve : told->curves) all.emplace_back(told, &curve);
            return all;
          },
          "The curves that are believed.")
      .def_property_readonly("gpus", column<&Demand::gpus>, "Of one job.")
      .def_property_readonly("floor_w", column<&Demand::floor_w>)
      .def_property_readonly("uncapped_w", column<&Demand::uncapped_w>)
      .def_property_readonly("value", column<&Demand::value>, "What a job at full speed is worth under the objective.")
      .def_property_readonly("priority", column<&Demand::priority>)
      .def_property_readonly("pfi", column<&Demand::pfi>, "Believed; inf: first to be cut, nan: unresponsive.")
      .def_property_readonly("b", column<&Demand::b>, "Believed loss of speed at a cut x: b x + a x^2.")
      .def_property_readonly("a", column<&Demand::a>)
      .def_property_readonly("loss_scale", column<&Demand::loss_scale>, "Believed losses are this many times those of the believed curve.")
      .def("__len__", [](Told const& told) { return told.demands.size(); });

  py::class_<Scenario, std::shared_ptr<Scenario>>(module, "Scenario", "A scenario file as understood: complete and checked.")
      .def_readonly("name", &Scenario::name)
      .def_readonly("kind", &Scenario::kind, "snapshot or timeline")
      .def_readonly("resolved", &Scenario::resolved, "Every key with its value, as YAML.")
      .def_readonly("notes", &Scenario::notes, "What was accepted but should be known.")
      .def_readonly("sweep_columns", &Scenario::sweep_columns)
      .def_property_readonly(
          "points",
          [](Scenario const& s) {
            std::vector<std::vector<std::string>> values;
            for (auto const& point : s.points) values.push_back(point.values);
            return values;
          },
          "The values of every sweep point, in the order of sweep_columns; one without values if there is no sweep.")
      .def("__repr__", [](Scenario const& s) { return "<wattfill.Scenario " + s.name + " (" + s.kind + ")>"; });
  module.def(
      "load_scenario",
      [](std::filesystem::path const& file, std::vector<std::string> sets, std::vector<std::filesystem::path> curves, std::optional<std::uint64_t> seed,
         bool allow_outside) {
        LoadOptions options;
        options.sets = std::move(sets);
        options.curve_dirs = std::move(curves);
        options.seed = seed;
        options.outside = allow_outside ? Outside::allowed : Outside::refused;
        return std::make_shared<Scenario>(load_scenario(file, options));
      },
      py::arg("file"), py::kw_only(), py::arg("set") = std::vector<std::string>{}, py::arg("curves") = std::vector<std::filesystem::path>{},
      py::arg("seed") = py::none(), py::arg("allow_outside") = false, py::call_guard<py::gil_scoped_release>(),
      "Reads and checks a snapshot or timeline scenario; set: [\"path.to.key=value\", ...], curves: folders searched first. InputError lists every mistake.");
}

}  // namespace wattfill::python
