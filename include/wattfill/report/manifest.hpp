#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "wattfill/curve/curve_library.hpp"

namespace wattfill {

/// What a result folder says of how it was made. The only file with times in it.
struct Manifest {
  std::string scenario_name, kind, resolved;  ///< the scenario as resolved, as YAML
  std::uint64_t seed = 0;
  std::vector<std::filesystem::path> inputs;  ///< hashed when written
  std::vector<CurveLibrary const*> libraries;
  std::vector<std::string> notes, command;
  std::vector<std::string> outputs;            ///< file names in the folder, hashed when written
  std::map<std::string, std::string> digests;  ///< of outputs whose SHA-256 is known already
  std::string shard;                           ///< I/N of one part of a study; empty: all of it
  std::vector<std::string> merged;             ///< the shards that it was made from
  unsigned threads = 1;
  double wall_s = 0;
};

/// manifest.json of `folder`, with the SHA-256 of every input and output.
std::string manifest_json(Manifest const& manifest, std::filesystem::path const& folder);

}  // namespace wattfill
