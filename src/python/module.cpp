// The module, and errors on their way to Python.
#include "python/module.hpp"

#include "wattfill/core/error.hpp"
#include "wattfill/core/version.hpp"

namespace wattfill::python {
namespace {

/// Lives as long as the interpreter, as types of exceptions do.
PyObject* new_error(py::module_& module, char const* name, char const* doc, PyObject* base) {
  auto* const type = PyErr_NewExceptionWithDoc((std::string("wattfill.") + name).c_str(), doc, base, nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(type);
  return type;
}

void raise_input_error(InputError const& error) {
  py::object const type = py::module_::import("wattfill").attr("InputError");
  py::object const raised = type(error.what());
  py::list problems;
  for (auto const& problem : error.problems()) {
    py::dict one;
    one["file"] = problem.at.file;
    one["line"] = problem.at.line;
    one["column"] = problem.at.column;
    one["key"] = problem.key;
    one["what"] = problem.what;
    problems.append(one);
  }
  for (auto const* name : {"file", "line", "column", "key"}) raised.attr(name) = problems[0][name];
  raised.attr("problems") = problems;
  PyErr_SetObject(type.ptr(), raised.ptr());
}

void raise_plain(char const* name, std::exception const& error) {
  py::object const type = py::module_::import("wattfill").attr(name);
  PyErr_SetString(type.ptr(), error.what());
}

}  // namespace

void add_errors(py::module_& module) {
  new_error(module, "InputError",
            "The input is wrong: file, line, column (from 1; 0: not known) and key of the first mistake, and problems, a list of them all.", PyExc_ValueError);
  new_error(module, "MachineError", "The machine failed: disk full, file not readable.", PyExc_OSError);
  new_error(module, "Defect", "A defect of wattfill; please report it.", PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (InputError const& error) {
      raise_input_error(error);
    } catch (MachineError const& error) {
      raise_plain("MachineError", error);
    } catch (Defect const& error) {
      raise_plain("Defect", error);
    } catch (Interrupted const&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace wattfill::python

PYBIND11_MODULE(wattfill, module) {
  using namespace wattfill::python;
  module.doc() =
      "Power allocation for datacenters of AI training jobs: load_library, load_scenario, run, trace, Session.\n\n"
      "Results are numpy arrays that read the memory of C++ objects. A policy may be a Python callable (run), a controller may turn a timeline (Session).";
  module.attr("__version__") = std::string(wattfill::version);
  add_errors(module);
  add_libraries(module);
  add_scenarios(module);
  add_results(module);
  add_sessions(module);
}
