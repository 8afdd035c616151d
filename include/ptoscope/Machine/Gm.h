//===- Gm.h - global memory as a table of objects ---------------*- C++ -*-===//
//
// GM is never reached by raw pointers from generated code: an address is looked
// up in this table, with exact bounds. Objects made by `add` get device
// addresses far apart, the same in every run; `addAt` registers host memory at
// its own address.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_GM_H
#define PTOSCOPE_MACHINE_GM_H

#include <cstdint>
#include <string>
#include <vector>

namespace ptoscope {

struct GmObject {
  uint64_t base = 0; ///< device address
  uint64_t bytes = 0;
  uint8_t *host = nullptr; ///< not owned
  std::string name;        ///< the parameter as written: "%arg0"
  bool readOnly = false;
  uint32_t index = 0; ///< position in order of registration
};

class GmTable {
public:
  /// Distance between objects made by `add`: farther than any stride reaches.
  static constexpr uint64_t kSpacing = uint64_t(1) << 44;

  /// Returns the device address of the new object.
  uint64_t add(uint8_t *host, uint64_t bytes, std::string name, bool readOnly = false);
  /// Registers memory at a device address of the caller's choice.
  void addAt(uint64_t base, uint8_t *host, uint64_t bytes, std::string name, bool readOnly = false);

  /// The object that holds `address`; null when none does.
  const GmObject *find(uint64_t address) const;
  /// The object whose range is nearest to `address`, for messages and for
  /// clipping a transfer that starts outside; null when the table is empty.
  const GmObject *nearest(uint64_t address) const;
  const std::vector<GmObject> &objects() const { return table; }

  /// Gives the name of a buffer that had the address before it was freed, or nothing; for messages.
  std::string (*formerName)(uint64_t address) = nullptr;

  /// Lets every other host address be one of `other`, an object without bounds: what the
  /// host profile of the tile API reaches (REPORT-9). The pages around null stay out.
  void admitOthers(std::string name);
  bool isOther(const GmObject *object) const { return object == &other; }

private:
  std::vector<GmObject> table; ///< sorted by base
  GmObject other;              ///< of size 0: there is none
  uint32_t nextIndex = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_GM_H
