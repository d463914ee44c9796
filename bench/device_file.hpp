#pragma once
// The tables of one mix in a file, for a machine that has nothing but a compiler: see device_check.sh. Standard library only.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "wattfill/sim/device_view.hpp"

namespace wattfill {

struct DeviceFile {
  DeviceTables tables;
  std::uint64_t replications;  ///< from 0 on, whose scores the host's own kernel has made,
  std::uint64_t digest;        ///< and what their bits add up to
};

/// FNV-1a over the bits of numbers; all that are not a number count as one: which bits 0/0 has is up to the processor.
inline std::uint64_t digest_of(std::span<double const> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (double x : numbers) hash = (hash ^ std::bit_cast<std::uint64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x)) * 0x100000001b3U;
  return hash;
}

inline void write_device_file(DeviceFile const& file, std::string const& name) {
  std::ofstream to(name, std::ios::binary);
  std::uint64_t const head[] = {file.tables.scores_per_replication, file.replications, file.digest};
  to.write(reinterpret_cast<char const*>(head), sizeof head);
  to.write(reinterpret_cast<char const*>(file.tables.image.data()), static_cast<std::streamsize>(file.tables.image.size()));
  to.close();
  if (!to) throw std::runtime_error(name + " could not be written");
}

inline DeviceFile read_device_file(std::string const& name) {
  std::ifstream from(name, std::ios::binary);
  std::uint64_t head[3];
  DeviceFile file{};
  if (from.read(reinterpret_cast<char*>(head), sizeof head)) {
    file.tables.scores_per_replication = head[0];
    file.replications = head[1];
    file.digest = head[2];
    file.tables.image.assign(std::istreambuf_iterator<char>(from), {});
  }
  auto& header = file.tables.header;
  if (file.tables.image.size() >= sizeof header) std::memcpy(&header, file.tables.image.data(), sizeof header);
  if (file.tables.image.size() < sizeof header || header.magic != DeviceHeader::magic_number || header.bytes != file.tables.image.size())
    throw std::runtime_error(name + " holds no tables of this version; make it anew with device_tables");
  return file;
}

/// Additions, multiplications and divisions of doubles in the passes over the classes of a replication, on average (device_flops.cpp): a search's look at a
/// knot 2 a class; a pass for scores 16, of which the straight line 3. Comparisons and whole numbers are not counted.
double flops_per_replication(DeviceTables const& tables);

}  // namespace wattfill
