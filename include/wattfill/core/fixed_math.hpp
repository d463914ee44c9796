#pragma once

namespace wattfill {

/// Exponential, logarithm and power with the same bits on every x86-64 processor: built from + - * / and bit operations alone, because the C library
/// picks other code paths (and other last bits) on processors with FMA. Every reported number that needs them uses these.
///
/// Error at most 2 units in the last place over the whole range, subnormal results included (tests compare against long double). Special values
/// (zeros, infinities, NaN, negative arguments, overflow, underflow) as std::exp, std::log and std::pow; errno and floating-point flags are not promised.
double fixed_exp(double x);
double fixed_log(double x);
double fixed_pow(double x, double y);

/// The standard normal number that a share p of draws do not exceed (Wichura's AS 241, PPND7, Applied Statistics 37, 1988): relative error about 1e-7. p in
/// (0, 1); NaN outside.
double fixed_normal_quantile(double p);

}  // namespace wattfill
