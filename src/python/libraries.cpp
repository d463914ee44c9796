// Curves and their libraries.
#include <algorithm>

#include <pybind11/stl/filesystem.h>

#include "python/module.hpp"
#include "wattfill/core/error.hpp"
#include "wattfill/core/quotation.hpp"
#include "wattfill/flexibility/pfi.hpp"
#include "wattfill/scenario/library_file.hpp"

namespace wattfill::python {
namespace {

using CurveRef = std::shared_ptr<Curve>;          // of an object that holds it; nothing here changes a curve
using LibraryRef = std::shared_ptr<LibraryFile>;  // likewise

CurveRef curve_in(LibraryRef const& library, Curve const& curve) { return {library, const_cast<Curve*>(&curve)}; }

Curve const& find(LibraryFile const& file, std::string const& name) {
  auto const* const curve = file.library.find(name);
  if (curve == nullptr) throw py::key_error("library " + file.library.name + " has no curve " + quotation(name) + "; its curves are in .curves");
  return *curve;
}

template <class Read>
py::array along(py::object const& self, Read read) {
  auto const span = read(self.cast<Curve const&>().curve);
  return view(span.data(), {static_cast<py::ssize_t>(span.size())}, self);
}

}  // namespace

void add_libraries(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(CurvePoint, cap_w, power_w, speed);
  py::class_<Curve, CurveRef>(module, "Curve", "One job's speed against the draw of one GPU; draws in W, caps in W, speed of the whole job.")
      .def_property_readonly("id", &Curve::id)
      .def_readonly("library", &Curve::library)
      .def_readonly("name", &Curve::name)
      .def_readonly("architecture", &Curve::architecture)
      .def_readonly("task", &Curve::task)
      .def_readonly("model", &Curve::model)
      .def_readonly("gpus", &Curve::gpus)
      .def_readonly("speed_unit", &Curve::speed_unit)
      .def_readonly("telemetry", &Curve::telemetry)
      .def_property_readonly(
          "points", [](py::object const& self) { return along(self, [](auto const& c) { return c.points(); }); }, "As measured: cap_w, power_w, speed.")
      .def_property_readonly(
          "draws", [](py::object const& self) { return along(self, [](auto const& c) { return c.draws(); }); }, "Usable curve [W], ascending.")
      .def_property_readonly("speeds", [](py::object const& self) { return along(self, [](auto const& c) { return c.speeds(); }); })
      .def_property_readonly("caps", [](py::object const& self) { return along(self, [](auto const& c) { return c.caps(); }); })
      .def_property_readonly(
          "pfi", [](Curve const& c) { return measured_pfi(c.curve); },
          "Power flexibility index (arXiv:2609.11542, eq. 1); inf: it loses nothing, nan: it does not react to caps.")
      .def(
          "speed", [](Curve const& c, double draw_w) { return c.curve.speed(draw_w); }, py::arg("draw_w"))
      .def(
          "draw_for", [](Curve const& c, double speed) { return c.curve.draw_for(speed); }, py::arg("speed"))
      .def(
          "cap_for", [](Curve const& c, double draw_w) { return c.curve.cap_for(draw_w); }, py::arg("draw_w"))
      .def("__repr__", [](Curve const& c) { return "<wattfill.Curve " + c.id() + ">"; });
  py::class_<LibraryFile, LibraryRef>(module, "Library", "Curves measured on one GPU type in one way.")
      .def_property_readonly("name", [](LibraryFile const& f) { return f.library.name; })
      .def_property_readonly("gpu_model", [](LibraryFile const& f) { return f.library.gpu_model; })
      .def_property_readonly("tdp_w", [](LibraryFile const& f) { return f.library.tdp_w; })
      .def_property_readonly("provenance", [](LibraryFile const& f) { return std::string(to_string(f.library.provenance)); })
      .def_property_readonly("citation", [](LibraryFile const& f) { return f.library.source.citation; })
      .def_property_readonly("speed_unit", [](LibraryFile const& f) { return f.library.speed_unit; })
      .def_property_readonly("statistic", [](LibraryFile const& f) { return f.library.statistic; })
      .def_readonly("notes", &LibraryFile::notes, "What was accepted in the file but should be known.")
      .def_property_readonly("curves",
                             [](LibraryRef const& f) {
                               std::vector<CurveRef> all;
                               for (auto const& curve : f->library.curves) all.push_back(curve_in(f, curve));
                               return all;
                             })
      .def("__getitem__", [](LibraryRef const& f, std::string const& name) { return curve_in(f, find(*f, name)); })
      .def("__len__", [](LibraryFile const& f) { return f.library.curves.size(); })
      .def("__repr__",
           [](LibraryFile const& f) { return "<wattfill.Library " + f.library.name + ", " + std::to_string(f.library.curves.size()) + " curves>"; });
  module.def(
      "load_library", [](std::filesystem::path const& file) { return std::make_shared<LibraryFile>(read_library(file)); }, py::arg("file"),
      py::call_guard<py::gil_scoped_release>(), "The curve library of FILE.yaml, its points in FILE.csv beside it.");
}

}  // namespace wattfill::python
