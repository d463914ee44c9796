#include "wattfill/core/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

#include "wattfill/core/error.hpp"

namespace wattfill {
namespace {

[[noreturn]] void fail() { throw MachineError("the SHA-256 of the crypto library failed; check the installation of OpenSSL"); }

}  // namespace

Sha256::Context Sha256::make() {
  Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (context == nullptr) fail();
  return context;
}

Sha256::Sha256() : context_(make()) {
  if (EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) fail();
}

void Sha256::add(std::string_view bytes) {
  if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) fail();
}

std::string Sha256::text() const {
  auto const ended = make();  // a copy, so that more may follow
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_MD_CTX_copy_ex(ended.get(), context_.get()) != 1 || EVP_DigestFinal_ex(ended.get(), digest.data(), &size) != 1) fail();
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += digits[digest[i] >> 4U];
    hex += digits[digest[i] & 15U];
  }
  return hex;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.text();
}

std::string sha256_of_file(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  Sha256 digest;
  std::vector<char> piece(1 << 16);
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    digest.add({piece.data(), static_cast<std::size_t>(in.gcount())});
  }
  return digest.text();
}

}  // namespace wattfill
