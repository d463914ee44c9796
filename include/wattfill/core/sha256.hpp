#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's, which stays out of headers

namespace wattfill {

/// SHA-256 of bytes that come one after the other.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Of all bytes so far, as 64 hexadecimal digits; more may follow.
  std::string text() const;

 private:
  using Context = std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)>;
  static Context make();
  Context context_;
};

/// SHA-256 of some bytes, as 64 hexadecimal digits (what sha256sum prints).
std::string sha256(std::string_view bytes);

/// Of a file's bytes, read piece by piece; empty if it cannot be read.
std::string sha256_of_file(std::filesystem::path const& file);

}  // namespace wattfill
