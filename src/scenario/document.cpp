#include "wattfill/scenario/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <charconv>
#include <map>
#include <sstream>
#include <unordered_map>

#include "wattfill/core/quotation.hpp"
#include "wattfill/scenario/text_file.hpp"

namespace wattfill {
namespace {

/// Builds our tree from yaml-cpp's events: its own nodes forget duplicate keys and the limits.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string const& file, DocumentLimits const& limits) : file_(file), limits_(limits) {}

  Node root;
  std::vector<Problem> problems;

  void OnDocumentStart(YAML::Mark const&) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    Node node;
    node.at = at(mark);
    finish(std::move(node), anchor);
  }
  void OnScalar(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, std::string const& value) override {
    refuse_tag(mark, tag);
    Node node = tag == "!" ? Node::quote(value) : Node::plain(value);
    node.at = at(mark);
    finish(std::move(node), anchor);
  }
  void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    auto const found = anchors_.find(anchor);
    if (found == anchors_.end()) throw InputError(Problem{at(mark), "", "an alias inside of what it stands for (it would never end); write the value out"});
    count(mark, found->second.size());
    finish(found->second, 0);
  }
  void OnSequenceStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(Node::list(), mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(Node::map(), mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor;
    bool has_key = false;
    Member next;
    std::unordered_map<std::string, int> lines = {};  // of the keys so far
  };

  Location at(YAML::Mark const& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  void refuse_tag(YAML::Mark const& mark, std::string const& tag) const {
    if (!tag.empty() && tag != "!" && tag != "?") throw InputError(Problem{at(mark), "", "a YAML tag (" + tag + ") has no meaning here; remove it"});
  }
  void count(YAML::Mark const& mark, std::size_t more) {
    nodes_ += more;
    if (nodes_ > limits_.nodes)
      throw InputError(
          Problem{at(mark), "",
                  "more than " + std::to_string(limits_.nodes) + " values with all aliases written out (memory is kept for the study); make the file shorter"});
  }
  void open(Node node, YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    if (stack_.size() >= limits_.depth)
      throw InputError(
          Problem{at(mark), "", "more than " + std::to_string(limits_.depth) + " levels of nesting (no format here has so many); check the brackets"});
    node.at = at(mark);
    stack_.push_back({std::move(node), anchor, false, {}});
  }
  void close() {
    auto frame = std::move(stack_.back());
    stack_.pop_back();
    finish(std::move(frame.node), frame.anchor);
  }
  void finish(Node node, YAML::anchor_t anchor) {
    YAML::Mark mark;
    mark.line = node.at.line - 1;
    mark.column = node.at.column - 1;
    count(mark, 1);
    if (anchor != 0) {
      count(mark, node.size());
      anchors_[anchor] = node;
    }
    if (stack_.empty()) {
      root = std::move(node);
      return;
    }
    auto& frame = stack_.back();
    if (frame.node.kind == Node::Kind::list) {
      frame.node.add(std::move(node));
    } else if (!frame.has_key) {
      if (node.kind != Node::Kind::scalar)
        throw InputError(Problem{node.at, "", described(node) + " stands where a key is needed; write key: value, with a space after the colon"});
      frame.has_key = true;
      frame.next = {node.text, node.at, {}};
    } else {
      frame.has_key = false;
      auto const [first, is_new] = frame.lines.emplace(frame.next.key, frame.next.key_at.line);
      if (!is_new) {
        problems.push_back({frame.next.key_at, path_here(frame.next.key),
                            "this key is there twice, first on line " + std::to_string(first->second) + " (only one of them could count); remove one"});
        return;
      }
      frame.next.value = std::move(node);
      frame.node.members.push_back(std::move(frame.next));
    }
  }
  std::string path_here(std::string const& key) const {
    std::string path;
    for (std::size_t i = 0; i + 1 < stack_.size(); ++i)
      path += (stack_[i].node.kind == Node::Kind::list ? std::to_string(stack_[i].node.members.size()) : stack_[i].next.key) + ".";
    return path + key;
  }

  std::string const& file_;
  DocumentLimits const& limits_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
};

void relocate(Node& node, Location const& at) {
  node.at = at;
  for (auto& member : node.members) {
    member.key_at = at;
    relocate(member.value, at);
  }
}

std::vector<std::string> steps_of(std::string_view path, Location const& at) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    auto end = path.find('.', begin);
    if (end == std::string_view::npos || (steps.size() == 1 && steps[0] == "sweep") || (steps.size() == 2 && steps[0] == "samples" && steps[1] == "over"))
      end = path.size();
    steps.emplace_back(path.substr(begin, end - begin));
    if (steps.back().empty()) throw InputError(Problem{at, std::string(path), "an empty name in the path of the key; write path.to.key=value"});
    begin = end + 1;
  }
  return steps;
}

/// yaml-cpp holds every bracket that may still become a key, in tokens of a hundred times its size, before it tells of the first. Brackets of plain text
/// count too, so that the bound lies far above that of nesting.
void refuse_endless_brackets(std::string const& text, std::string const& file_name) {
  constexpr long most = 10'000;
  long open = 0;
  int line = 1;
  for (auto const c : text) {
    line += c == '\n' ? 1 : 0;
    open += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (open > most)
      throw InputError(
          Problem{{file_name, line, 0}, "", "more than " + std::to_string(most) + " brackets are open (no format here nests so deep); check the brackets"});
  }
}

}  // namespace

Node parse_document(std::string text, std::string const& file_name, DocumentLimits const& limits) {
  text = checked_utf8(std::move(text), file_name);
  refuse_endless_brackets(text, file_name);
  std::istringstream in(std::move(text));
  TreeBuilder builder(file_name, limits);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder))
      throw InputError(Problem{{file_name, 1, 1}, "", "the file is empty; see scenarios/README.md for the keys it needs"});
    if (parser.HandleNextDocument(builder))
      throw InputError(Problem{
          {file_name, builder.root.at.line, builder.root.at.column}, "", "a second YAML document begins (only one could be read); remove the line ---"});
  } catch (YAML::Exception const& error) {
    throw InputError(Problem{{file_name, error.mark.line + 1, error.mark.column + 1},
                             "",
                             "not valid YAML: " + error.msg + " (nothing after it can be read); mend indentation, brackets or quotes here"});
  }
  if (!builder.problems.empty()) throw InputError(std::move(builder.problems));
  return std::move(builder.root);
}

Node read_document(std::filesystem::path const& file, DocumentLimits const& limits) {
  return parse_document(read_text_file(file, limits.bytes), file.string(), limits);
}

void set_value(Node& root, std::string_view assignment) {
  auto const at = Location{"--set " + std::string(assignment), 0, 0};
  auto const equals = assignment.find('=');
  if (equals == std::string_view::npos) throw InputError(Problem{at, "", "there is no = in it; write --set path.to.key=value"});
  auto const path = assignment.substr(0, equals);
  auto const text = std::string(assignment.substr(equals + 1));
  if (text.find_first_not_of(' ') == std::string::npos)
    throw InputError(Problem{at, std::string(path), "there is no value; write --set path.to.key=value, or =null to take the key away"});
  Node value;
  try {
    value = parse_document(text, at.file);
  } catch (InputError const& error) {
    auto what = error.problems().front().what;
    throw InputError(Problem{at, std::string(path), std::move(what)});
  }
  relocate(value, at);
  set_value(root, path, std::move(value), at);
}

void set_value(Node& root, std::string_view path, Node value, Location const& asked_at) {
  auto const steps = steps_of(path, asked_at);
  auto* node = &root;
  std::string so_far;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto const& step = steps[i];
    auto const last = i + 1 == steps.size();
    if (node->kind == Node::Kind::list) {
      std::size_t index = 0;
      auto const [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      if (error != std::errc() || end != step.data() + step.size() || index >= node->members.size())
        throw InputError(
            Problem{asked_at, std::string(path),
                    so_far + " is a list of " + std::to_string(node->members.size()) + " and has no entry " + quotation(step) + "; entries count from 0"});
      if (last && value.kind == Node::Kind::null) {
        node->members.erase(node->members.begin() + static_cast<std::ptrdiff_t>(index));
        return;
      }
      node = &node->members[index].value;
    } else if (node->kind == Node::Kind::map) {
      if (last && value.kind == Node::Kind::null) {
        std::erase_if(node->members, [&](Member const& member) { return member.key == step; });
        return;
      }
      if (node->find(step) == nullptr) {
        auto made = Node::map();
        made.at = asked_at;
        node->members.push_back({step, asked_at, std::move(made)});
      }
      node = node->find(step);
    } else {
      throw InputError(
          Problem{asked_at, std::string(path), so_far + " is " + described(*node) + ", a single value without keys in it; set " + so_far + " as a whole"});
    }
    so_far += (so_far.empty() ? "" : ".") + step;
  }
  *node = std::move(value);
}

}  // namespace wattfill
