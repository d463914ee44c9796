#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "wattfill/workload/mix_spec.hpp"

namespace wattfill {

/// A job class: every job with this curve and these terms is treated alike.
struct JobClass {
  Curve const* curve;
  JobTerms terms;
};

/// A mix made ready to be drawn: the distinct job classes in a canonical order (curve id, then terms) and how often each turns up. The order of groups, entries
/// and libraries in the spec changes nothing.
class Mix {
 public:
  /// Throws InputError if nothing can be drawn: no jobs, no curves, all weights zero.
  explicit Mix(MixSpec const& spec);

  std::span<JobClass const> classes() const { return classes_; }
  std::uint64_t jobs() const { return jobs_; }
  std::uint64_t replications() const { return listed_.empty() ? replications_ : 1; }
  bool drawn() const { return listed_.empty(); }

  /// Jobs of every class in one replication. `counts` has classes().size() entries; `scratch` is reused between calls.
  /// `key` is random_key(seed, mix name).
  void count(std::uint64_t key, std::uint64_t replication, std::span<double> counts, std::vector<std::uint32_t>& scratch) const;

  /// Probability that a drawn job is of class c.
  std::span<double const> probabilities() const { return probabilities_; }

  /// A column of the alias table that jobs are drawn from (Walker 1977, Vose 1991).
  struct Column {
    std::uint32_t threshold;  ///< of 2^32: below it the column's own class, else the alias
    std::uint32_t alias;
  };
  std::span<Column const> columns() const { return columns_; }  ///< one per class; empty for an explicit mix
  std::span<double const> listed() const { return listed_; }    ///< counts of an explicit mix; empty for a drawn one

 private:
  std::vector<JobClass> classes_;
  std::uint64_t replications_ = 1;
  std::uint64_t jobs_ = 0;
  std::vector<double> listed_;         // counts of an explicit mix
  std::vector<double> probabilities_;  // of a drawn one
  std::vector<Column> columns_;
};

}  // namespace wattfill
