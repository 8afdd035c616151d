//===- conv_abi.hpp - what convolution tiles ask the library ----*- C++ -*-===//

#ifndef PTO_DETAIL_CONV_ABI_HPP
#define PTO_DETAIL_CONV_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// Extents of convolution tiles in scalars: three of so many bits each.
inline constexpr int kConvBits = 21;
inline constexpr uint64_t kConvMax = (uint64_t(1) << kConvBits) - 1;

/// The registers of TIMG2COL (CONVT-12).
enum class ConvRegister : uint8_t { Fmatrix, Repeat, Padding };

/// Members of a convolution tile that TIMG2COL takes when it is called.
struct ConvParameters {
  uint64_t fmatrix, repeat, padding; ///< as the registers have them
  uint64_t filter;                   ///< Kw | Kh << 16 | strides and dilations, w before h, of 8 bits each
  int64_t n, d, c1, h, w;            ///< of its shape
  uint64_t posM, posK;
  bool transpose;
  bool second;     ///< register set B
  bool setsItself; ///< mode AUTO
};

/// Writes a register of set A or B.
PTO_API void setConvRegister(ConvRegister which, bool second, uint64_t word, const Source &source);
/// Issues TIMG2COL with what registers and members say.
PTO_API void issueImg2col(Call &call, const ConvParameters &parameters);
/// A window of a filter begins in the middle of a fractal of 16 x C0 (CONVT-10).
PTO_API void checkFilterWindow(int64_t row, int64_t col, int64_t block, const Source &source);
/// An extent that a convolution tile cannot have.
PTO_API void badConvExtent(int64_t value, const Source &source);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_CONV_ABI_HPP
