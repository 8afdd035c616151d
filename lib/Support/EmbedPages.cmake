# Writes the pages of FOLDER to OUTPUT as C++ strings, in the order of their names: what stands below the
# heading, with examples as a terminal shows them.
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.md)
list(REMOVE_ITEM names README.md)
list(TRANSFORM names REPLACE "\\.md$" "") # sorted with it, `a-b` would come before `a`
list(SORT names)
set(rows "")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name}.md page)
  string(REGEX REPLACE "^# [^\n]*\n\n" "" page "${page}")
  string(REGEX REPLACE "\n$" "" page "${page}")
  string(REPLACE "\n\nExample:\n\n" "\n\nExample:\n" page "${page}")
  string(REPLACE "\n    " "\n  " page "${page}")
  string(APPEND rows "R\"page(${page})page\",\n")
endforeach()
file(WRITE ${OUTPUT} "${rows}")
