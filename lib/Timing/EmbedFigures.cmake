# Writes FILES to OUTPUT as C++ strings: {"name", R"(text)"}, … in their order.
set(rows "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(APPEND rows "{\"${name}\", R\"figures(${text})figures\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${rows}")
