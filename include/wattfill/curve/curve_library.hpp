#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattfill/curve/power_speed_curve.hpp"

namespace wattfill {

/// How the points of a library came about; every report and result file says which it used.
enum class Provenance {
  measured,       ///< measured points
  digitised,      ///< read off a published figure
  derived,        ///< computed from measured points, e.g. a pipeline frontier
  reconstructed,  ///< a shape fitted to published summary figures
};
std::string_view to_string(Provenance);
std::optional<Provenance> provenance_from(std::string_view);

struct Source {
  std::string citation;
  std::string url;
  std::string licence;
  std::string note;
};

/// One job's curve and what is known of the job.
struct Curve {
  std::string library;       ///< name of the library it comes from
  std::string name;          ///< unique in its library
  std::string architecture;  ///< dense, moe, ...; empty: not stated
  std::string task;          ///< pretraining, fine-tuning, inference, ...; empty: not stated
  std::string model;         ///< model family, empty: not stated
  double gpus = 1;           ///< GPUs the job was measured on
  std::string speed_unit;    ///< of the library; empty: not stated
  Provenance provenance = Provenance::measured;
  std::optional<double> flop_per_unit;      ///< model FLOP per unit of speed and second (speed x this = FLOP/s of the whole job)
  std::map<std::string, double> telemetry;  ///< features of the uncapped run, by name
  PowerSpeedCurve curve;

  std::string id() const { return library + "/" + name; }
};

/// Curves measured on one GPU type in one way.
struct CurveLibrary {
  std::string name;
  std::string gpu_model;
  double tdp_w = 0;
  Provenance provenance = Provenance::measured;
  Source source;
  std::string speed_unit;
  std::string statistic;                 ///< what a point is: mean, median, top-10 % mean, ...
  std::vector<std::string> assumptions;  ///< of a reconstruction; printed with results
  std::vector<Curve> curves;

  /// nullptr if there is none of that name.
  Curve const* find(std::string_view curve_name) const;
};

}  // namespace wattfill
