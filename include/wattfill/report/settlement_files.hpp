#pragma once
#include <string>

#include "wattfill/contract/settlement.hpp"

namespace wattfill {

/// settlement.csv: a row per event and settlement interval; columns in scenarios/README.md.
std::string settlement_csv(ContractSpec const& contract, Settlement const& settlement);
/// settled_events.csv: a row per event.
std::string settled_events_csv(ContractSpec const& contract, Settlement const& settlement);
/// The short table that `wattfill contract` prints.
std::string settlement_table(ContractSpec const& contract, Settlement const& settlement);

}  // namespace wattfill
