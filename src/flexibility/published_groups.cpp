#include "wattfill/flexibility/published_groups.hpp"

#include <array>

namespace wattfill {
namespace {

// Active parameters: the model cards' own figures.
constexpr double llama_70b = 70.6e9, qwen3_32b = 32.8e9, gpt_oss_20b = 3.6e9, qwen3_30b_a3b = 3.3e9;
constexpr auto unpublished = std::nullopt;

constexpr std::array<PublishedGroup, 25> measured_groups{{
    {"ft_llama_70b_16g", "dense", "fine-tuning", "Llama-3.1-70B", llama_70b, 16, unpublished, 1.10},
    {"ft_llama_70b_8g_no_compile", "dense", "fine-tuning", "Llama-3.1-70B", llama_70b, 8, 1.22, 1.37},
    {"ft_llama_70b_8g_compile", "dense", "fine-tuning", "Llama-3.1-70B", llama_70b, 8, 1.27, 1.44},
    {"ft_qwen3_32b_16g", "dense", "fine-tuning", "Qwen3-32B", qwen3_32b, 16, unpublished, 1.52},
    {"pt_llama_70b_8g_compile", "dense", "pretraining", "Llama-3.1-70B", llama_70b, 8, 1.17, 1.33},
    {"pt_qwen3_32b_32g_seq4096_bs8", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 32, unpublished, 1.23},
    {"pt_qwen3_32b_32g_seq4096_bs4", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 32, unpublished, 1.25},
    {"pt_llama_70b_8g_no_compile", "dense", "pretraining", "Llama-3.1-70B", llama_70b, 8, 1.26, 1.43},
    {"pt_qwen3_32b_32g_seq8192_bs8", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 32, unpublished, 1.27},
    {"pt_qwen3_32b_8g_no_compile", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 8, 1.30, 1.42},
    {"pt_qwen3_32b_32g_seq8192_bs4", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 32, unpublished, 1.30},
    {"pt_llama_70b_16g", "dense", "pretraining", "Llama-3.1-70B", llama_70b, 16, unpublished, 1.34},
    {"pt_qwen3_32b_16g", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 16, unpublished, 1.47},
    {"pt_qwen3_32b_8g_compile", "dense", "pretraining", "Qwen3-32B", qwen3_32b, 8, 1.51, 1.67},
    {"ft_gpt_oss_20b_8g_seq2048", "moe", "fine-tuning", "gpt-oss-20b", gpt_oss_20b, 8, 1.79, 1.98},
    {"ft_qwen3_30b_a3b_8g", "moe", "fine-tuning", "Qwen3-30B-A3B", qwen3_30b_a3b, 8, 2.00, 2.22},
    {"ft_qwen3_30b_a3b_16g", "moe", "fine-tuning", "Qwen3-30B-A3B", qwen3_30b_a3b, 16, unpublished, 2.20},
    {"ft_gpt_oss_20b_8g_seq4096", "moe", "fine-tuning", "gpt-oss-20b", gpt_oss_20b, 8, 2.67, 3.32},
    {"pt_gpt_oss_20b_8g_ep1_no_compile", "moe", "pretraining", "gpt-oss-20b", gpt_oss_20b, 8, 1.24, 1.16},
    {"pt_gpt_oss_20b_8g_ep1_compile", "moe", "pretraining", "gpt-oss-20b", gpt_oss_20b, 8, 1.35, 1.40},
    {"pt_qwen3_30b_a3b_8g_ep1", "moe", "pretraining", "Qwen3-30B-A3B", qwen3_30b_a3b, 8, 1.36, 1.40},
    {"pt_gpt_oss_20b_8g_ep8_compile", "moe", "pretraining", "gpt-oss-20b", gpt_oss_20b, 8, 1.43, 1.57},
    {"pt_gpt_oss_20b_8g_ep4_compile", "moe", "pretraining", "gpt-oss-20b", gpt_oss_20b, 8, 1.45, 1.65},
    {"pt_qwen3_30b_a3b_8g_ep8", "moe", "pretraining", "Qwen3-30B-A3B", qwen3_30b_a3b, 8, 1.52, 1.67},
    {"pt_gpt_oss_20b_8g_ep8_no_compile", "moe", "pretraining", "gpt-oss-20b", gpt_oss_20b, 8, 1.57, 1.66},
}};

constexpr std::array<double, 6> fine_caps{200, 300, 400, 500, 600, 700};
constexpr std::array<double, 4> coarse_caps{200, 500, 600, 700};

}  // namespace

std::span<PublishedGroup const> published_groups() { return measured_groups; }

std::span<double const> published_caps(PublishedGrid grid) {
  return grid == PublishedGrid::coarse ? std::span<double const>(coarse_caps) : std::span<double const>(fine_caps);
}

}  // namespace wattfill
