//===- task.hpp - launch kernels with an argument array ---------*- C++ -*-===//
//
//   extern "C" void kernel_entry(int64_t *args);
//
//   ptoscope::Result result = ptoscope::launchTask(kernel_entry, 8,
//       ptoscope::tensor(x, {64, 128}), ptoscope::tensor(y, {64, 128}), 0.5f);
//
// Kernels of task runtimes take one array of 50 slots of 8 bytes: addresses of tensor
// descriptors, then scalars, and at the end the two contexts of the core (MIX-20 to
// MIX-23). The array is filled from tensors and scalars, with contexts for each core.
// The kernel is a function, or mixed(cube, vector), cubeOnly or vectorOnly of such
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TASK_HPP
#define PTOSCOPE_TASK_HPP

#include "pto/detail/letters_begin.inc"

#include "pto/detail/abi.hpp"
#include "ptoscope/launch.hpp"

#include <cstring>
#include <initializer_list>
#include <vector>

namespace ptoscope {

/// Element types, as descriptors number them.
enum class DataType : uint8_t {
  F32 = 0,
  F16 = 1,
  I32 = 2,
  I16 = 3,
  I8 = 4,
  U8 = 5,
  BF16 = 6,
  I64 = 7,
  U64 = 8,
  U16 = 9,
  U32 = 10,
  Bool = 11,
  F8E4M3 = 12,
  F8E8M0 = 13,
  F4E2M1 = 14,
};

/// What slots of tensors point to; kernels call the type ChipTensor.
struct alignas(64) TensorDescriptor {
  struct {
    uint64_t addr, size; ///< of the whole buffer, in bytes
  } buffer;
  uint64_t owner_task_id; ///< all ones: none
  uint64_t start_offset;  ///< elements from the buffer's start to the first of the view
  int32_t version;
  uint32_t ndims;
  DataType dtype;
  uint8_t manual_dep, is_contiguous, address_space; ///< 1: device
  uint32_t shapes[5];                               ///< outermost first
  uint64_t extent_elem_cache;                       ///< elements from the first to the last, both included
  uint32_t strides[5];                              ///< in elements
  uint8_t reserved[36];
};
static_assert(sizeof(TensorDescriptor) == 128 && offsetof(TensorDescriptor, start_offset) == 24 &&
              offsetof(TensorDescriptor, ndims) == 36 && offsetof(TensorDescriptor, dtype) == 40 &&
              offsetof(TensorDescriptor, shapes) == 44 && offsetof(TensorDescriptor, extent_elem_cache) == 64 &&
              offsetof(TensorDescriptor, strides) == 72);

/// Contexts of a core: slots 48 and 49.
struct TaskLocalContext {
  int32_t block_idx, block_num;
  uint64_t completion[3];
  uint32_t completion_capacity;
  uint64_t task_token;
};
struct TaskGlobalContext {
  int32_t sub_block_id;
  uint64_t dma_workspace[2]; ///< 0: none
};
static_assert(offsetof(TaskLocalContext, completion) == 8 && offsetof(TaskLocalContext, completion_capacity) == 32 &&
              offsetof(TaskLocalContext, task_token) == 40 && offsetof(TaskGlobalContext, dma_workspace) == 8);

inline constexpr size_t kTaskSlots = 50, kTaskLocalSlot = 48, kTaskGlobalSlot = 49, kTaskTensors = 32,
                        kTaskScalars = 16;

/// A tensor argument: a view of a buffer.
struct TaskTensor {
  TensorDescriptor descriptor;
  detail::BufferRef buffer;
};

namespace detail {
template <typename T> constexpr DataType dataTypeOf() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>)
    return DataType::F32;
  else if constexpr (std::is_same_v<U, bool>)
    return DataType::Bool;
  else if constexpr (std::is_integral_v<U>)
    return sizeof(U) == 1   ? (std::is_signed_v<U> ? DataType::I8 : DataType::U8)
           : sizeof(U) == 2 ? (std::is_signed_v<U> ? DataType::I16 : DataType::U16)
           : sizeof(U) == 4 ? (std::is_signed_v<U> ? DataType::I32 : DataType::U32)
                            : (std::is_signed_v<U> ? DataType::I64 : DataType::U64);
  else
    return sizeof(U) == 2 ? DataType::F16 : DataType::F8E4M3;
}
} // namespace detail

/// `shape` from the outermost extent on, row-major without gaps unless `strides` are given;
/// the view starts `start` elements behind the buffer's start. The element type follows from
/// T; half and bfloat16_t and the 8-bit floats are told apart by `type`.
template <typename T>
TaskTensor tensor(const Buffer<T> &buffer, std::initializer_list<uint32_t> shape,
                  DataType type = detail::dataTypeOf<T>(), uint64_t start = 0,
                  std::initializer_list<uint32_t> strides = {}) {
  TaskTensor result{};
  TensorDescriptor &d = result.descriptor;
  result.buffer = detail::refOf(buffer.pointer, buffer.count, buffer.name);
  d.buffer.addr = reinterpret_cast<uintptr_t>(buffer.pointer);
  d.buffer.size = buffer.count * sizeof(T);
  d.owner_task_id = ~uint64_t(0);
  d.start_offset = start;
  d.ndims = uint32_t(shape.size() < 5 ? shape.size() : 5);
  d.dtype = type;
  d.address_space = 1;
  d.is_contiguous = strides.size() == 0;
  d.extent_elem_cache = 1;
  uint64_t step = 1;
  for (uint32_t i = d.ndims; i-- > 0;) {
    d.shapes[i] = shape.begin()[i];
    d.strides[i] = i < strides.size() ? strides.begin()[i] : uint32_t(step);
    step *= d.shapes[i];
    d.extent_elem_cache += (d.shapes[i] ? uint64_t(d.shapes[i]) - 1 : 0) * d.strides[i];
  }
  return result;
}
template <typename C>
  requires detail::Container<C>
auto tensor(C &container, std::initializer_list<uint32_t> shape,
            DataType type = detail::dataTypeOf<std::remove_pointer_t<decltype(container.data())>>(), uint64_t start = 0,
            std::initializer_list<uint32_t> strides = {}) {
  return tensor(buffer(container.data(), container.size()), shape, type, start, strides);
}

namespace detail {
/// The array without contexts, and what its slots point to.
struct TaskArguments {
  std::vector<TensorDescriptor> tensors;
  std::vector<uint64_t> scalars;
  std::vector<BufferRef> buffers;

  void add(const TaskTensor &tensor) {
    tensors.push_back(tensor.descriptor);
    for (const BufferRef &known : buffers)
      if (known.pointer == tensor.buffer.pointer && known.bytes == tensor.buffer.bytes)
        return;
    buffers.push_back(tensor.buffer);
  }
  template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>)
  void add(const T &scalar) {
    uint64_t slot = 0;
    std::memcpy(&slot, &scalar, sizeof(T));
    scalars.push_back(slot);
  }

  /// Calls an entry on the core that runs.
  template <typename Entry> void call(Entry &entry) const {
    TaskLocalContext local{int32_t(tile::blockIndex()), int32_t(tile::blockCount()), {}, 0, 0};
    TaskGlobalContext global{int32_t(tile::subblockIndex()), {}};
    int64_t slots[kTaskSlots] = {};
    size_t at = 0;
    for (const TensorDescriptor &tensor : tensors)
      slots[at++] = int64_t(reinterpret_cast<uintptr_t>(&tensor));
    for (uint64_t scalar : scalars)
      slots[at++] = int64_t(scalar);
    slots[kTaskLocalSlot] = int64_t(reinterpret_cast<uintptr_t>(&local));
    slots[kTaskGlobalSlot] = int64_t(reinterpret_cast<uintptr_t>(&global));
    entry(slots);
  }
};
} // namespace detail

template <typename Kernel, typename... Args>
  requires(!std::is_same_v<std::remove_cvref_t<Kernel>, Options>)
Result launchTask(const Options &options, Kernel &&kernel, int64_t blocks, const Args &...args) {
  constexpr size_t tensors = (size_t(std::is_same_v<Args, TaskTensor>) + ... + 0);
  static_assert(tensors <= kTaskTensors && sizeof...(Args) - tensors <= kTaskScalars,
                "a task has at most 32 tensors and 16 scalars");
  detail::TaskArguments arguments;
  (arguments.add(args), ...);
  detail::Cores cores;
  cores.messageArea = true;
  const auto call = [&arguments](auto &entry) { arguments.call(entry); };
  return detail::launchKernel(options, blocks, arguments.buffers.data(), arguments.buffers.size(), kernel, call, cores);
}
template <typename Kernel, typename... Args>
  requires(!std::is_same_v<std::remove_cvref_t<Kernel>, Options>)
Result launchTask(Kernel &&kernel, int64_t blocks, const Args &...args) {
  return launchTask(Options{}, std::forward<Kernel>(kernel), blocks, args...);
}

/// What kernels ask of their array; for those whose own headers do not have it.
namespace task {
inline const TaskLocalContext &localContext(const int64_t *args) {
  return *reinterpret_cast<const TaskLocalContext *>(args[kTaskLocalSlot]);
}
inline const TaskGlobalContext &globalContext(const int64_t *args) {
  return *reinterpret_cast<const TaskGlobalContext *>(args[kTaskGlobalSlot]);
}
inline int32_t get_block_idx(const int64_t *args) { return localContext(args).block_idx; }
inline int32_t get_block_num(const int64_t *args) { return localContext(args).block_num; }
inline int32_t get_sub_block_id(const int64_t *args) { return globalContext(args).sub_block_id; }
inline uint64_t get_dma_workspace(const int64_t *args, int kind) { return globalContext(args).dma_workspace[kind & 1]; }
} // namespace task

} // namespace ptoscope

#include "pto/detail/letters_end.inc"

#endif // PTOSCOPE_TASK_HPP
