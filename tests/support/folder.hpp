#pragma once
// The only place where tests make temporary files: tests run side by side, so that two that shared a name would remove each other's files.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace wattfill::testing {

/// A folder of one test, of a name that no other has, removed at its end.
class Folder {
 public:
  explicit Folder(std::string const& name = "test") {
    auto unique = (std::filesystem::temp_directory_path() / ("wattfill-" + name + "-XXXXXX")).string();
    if (mkdtemp(unique.data()) == nullptr) throw std::runtime_error("no temporary folder could be made: " + unique);
    path_ = unique;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;

  std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  std::filesystem::path const& path() const { return path_; }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {})); }

  std::filesystem::path write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  /// Text without the folder's own name in it.
  std::string relative(std::string text) const {
    auto const prefix = path_.string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    return text;
  }

 private:
  std::filesystem::path path_;
};

/// A file of the given text, in a folder of its own, that goes with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string const& text, std::string const& name = "input.csv") : path_(folder_.write(name, text)) {}
  std::string path() const { return path_.string(); }

 private:
  Folder folder_{"file"};
  std::filesystem::path path_;
};

inline std::string text_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace wattfill::testing
