#pragma once
#include <string>

#include "wattfill/contract/settlement.hpp"

namespace wattfill {

/// settlement.csv: a row per event and settlement interval; columns in scenarios/README.md. `before`: cells that every row begins with, each with its comma.
std::string settlement_header(std::string const& before = {});
std::string settlement_rows(ContractSpec const& contract, Settlement const& settlement, std::string const& before = {});
/// settled_events.csv: a row per event.
std::string settled_events_header(std::string const& before = {});
std::string settled_events_rows(ContractSpec const& contract, Settlement const& settlement, std::string const& before = {});
/// The short table that `wattfill contract` prints.
std::string settlement_table(ContractSpec const& contract, Settlement const& settlement);

}  // namespace wattfill
