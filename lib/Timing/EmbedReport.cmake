# cmake -DINPUT=report.html -DOUTPUT=Page.inc -P EmbedReport.cmake
# The page as a C++ string.
file(READ "${INPUT}" page)
file(WRITE "${OUTPUT}" "R\"page(${page})page\"\n")
