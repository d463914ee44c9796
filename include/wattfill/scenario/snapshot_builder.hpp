#pragma once
#include <string>
#include <utility>
#include <vector>

#include "wattfill/scenario/library_shelf.hpp"
#include "wattfill/scenario/spec.hpp"
#include "wattfill/study/study_spec.hpp"

namespace wattfill {

/// The libraries that a study draws from, and which of them stand for others (outer.libraries).
struct Pool {
  std::vector<CurveLibrary const*> libraries;
  std::vector<std::pair<std::string, std::string>> stand_ins = {};  ///< (name in the scenario, name of the library that stands for it)

  std::string const& name_for(std::string const& library) const;
};

/// The mixes over one pool.
std::vector<MixSpec> build_mixes(SnapshotFields const&, Pool const&, Reading&);
/// The curves that a filter means, in the order of the pool; a problem if there are none.
std::vector<Curve const*> matching(WhereFields const&, Pool const&, Reading&);
CurveFilter filter_of(WhereFields const&);
/// One entry of `policies`; refuses options that the rule does not have.
PolicySpec build_policy(PolicyFields const&, Reading&);
/// The cuts that are meant.
std::vector<double> build_cuts(CutsFields const&, Reading&);

/// A telemetry feature that every curve must have.
void check_feature(Placed<std::string> const& feature, std::vector<Curve const*> const& curves, Reading&);
/// What policies are told, `curves` being all that the study can run.
void build_belief(SnapshotFields const&, std::vector<Curve const*> const& curves, LibraryShelf&, StudySpec&, Reading&);

/// The study that a scenario means. Problems go to the reading; the result is complete only if there are none.
StudySpec build_study(SnapshotFields const&, LibraryShelf&, Reading&);

}  // namespace wattfill
