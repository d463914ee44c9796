#pragma once
#include "wattfill/facility/facility_spec.hpp"

namespace wattfill {

/// Where a limit is meant: what the GPUs draw, what the nodes and switches draw (IT load), or what the site's meter shows.
enum class LimitAt { gpu, it, meter };

/// What stands between the GPUs of a study and its meter. Nodes are filled with GPUs of one job class each; the plant is sized to the nodes of the mix.
struct MeteringSpec {
  FacilitySpec facility;
  LimitAt limit_at = LimitAt::gpu;
};

/// Racks with a limit of their own. Jobs are placed in descending size (ties: class order) into the first rack with room, larger ones over empty racks.
struct RackSpec {
  double gpus = 32;    ///< of a rack, >= 1
  double limit_w = 0;  ///< on what comes into a rack [W], > 0
  double loss = 0;     ///< of its supplies and bars, as a share of what the GPUs draw, >= 0
  /// PDUs (or rows) that feed `pdu_racks` racks each, in their order, with a limit on what comes in; 0 racks: none.
  double pdu_racks = 0, pdu_limit_w = 0, pdu_loss = 0;
};

}  // namespace wattfill
