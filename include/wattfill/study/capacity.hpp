#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wattfill/study/study.hpp"

namespace wattfill {

/// The reduction that a cluster can promise: over mixes, the (1 - confidence) quantile of the watts that each can give at the stated loss.
struct Promise {
  std::size_t mix, policy;
  double speed_loss, confidence;
  std::uint64_t mixes;     ///< independent mixes
  double mean_uncapped_w;  ///< draw of everyone uncapped, mean over mixes
  double censored;         ///< share of the mixes that would give more than the deepest cut of the study: then a lower bound
  /// Estimate with its 95 % interval from order statistics; nothing where there are too few mixes for it.
  std::optional<Estimate> reduction_w;
};

/// Collects them from the scores of every replication as they are computed, at the meter if the study has a facility, else at the GPUs. Between neighbouring
/// cuts of the study both the objective and the watts are taken as linear: the cuts should be close. The first cut must be 0.
/// What it keeps of a stretch of replications goes through the text, so that it may have been computed elsewhere.
/// A mix gives what it draws uncapped less what it draws at the deepest place before the objective falls below (1 - loss) of full speed.
class Capacity final : public RowSink {
 public:
  /// `next` gets every row, too; nullptr: nobody.
  Capacity(StudySpec const& study, CapacitySpec spec, RowSink* next = nullptr);

  void format(std::size_t mix, std::uint64_t first, std::uint64_t count, std::span<double const> scores, RowText& text) const override;
  void write(std::string_view aside, std::string_view rows) override;

  /// In the order of mixes, policies, losses and confidences; when the study is done.
  std::vector<Promise> promises() const;

 private:
  StudySpec const& study_;
  CapacitySpec spec_;
  RowSink* next_;
  std::size_t scores_, watts_;  // scores of a row, and which of them is the power
  struct Given {
    double uncapped_w;
    std::vector<double> reduction_w;  // [policy][loss]
    std::vector<double> censored;     // 1 or 0
  };
  std::vector<std::vector<Given>> given_;  // [mix][replication]
};

}  // namespace wattfill
