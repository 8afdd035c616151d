//===- CacheFolder.cpp - where things are kept that can be made again -----===//

#include "ptoscope/Support/CacheFolder.h"

#include <cstdlib>
#include <filesystem>
#include <pwd.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ptoscope {

namespace fs = std::filesystem;

static fs::path namedFolder() {
  const auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string_view(value ? value : "");
  };
  if (const std::string_view named = variable("PTOSCOPE_CACHE"); !named.empty())
    return named == "off" ? fs::path() : fs::path(named);
  if (const fs::path caches = variable("XDG_CACHE_HOME"); caches.is_absolute())
    return caches / "ptoscope";
  if (const fs::path home = variable("HOME"); !home.empty())
    return home / ".cache" / "ptoscope";
  const passwd *user = getpwuid(geteuid());
  return user && user->pw_dir ? fs::path(user->pw_dir) / ".cache" / "ptoscope" : fs::path();
}

std::string cacheFolder() {
  const fs::path folder = namedFolder();
  std::error_code error;
  if (folder.empty())
    return {};
  fs::create_directories(folder.parent_path(), error);
  mkdir(folder.c_str(), S_IRWXU);
  struct stat status;
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)))
    return {};
  return folder;
}

} // namespace ptoscope
