//===- CacheFolder.h - where things are kept that can be made again -*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_CACHEFOLDER_H
#define PTOSCOPE_SUPPORT_CACHEFOLDER_H

#include <string>

namespace ptoscope {

/// The folder `PTOSCOPE_CACHE`, or `ptoscope` in that of the user's caches; it is made if it is missing. Empty where
/// the variable is `off`, and where the folder is not the user's alone: others could make this program run their code.
std::string cacheFolder();

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_CACHEFOLDER_H
