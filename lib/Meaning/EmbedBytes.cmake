# cmake -DINPUT=lanes.bc -DOUTPUT=Bitcode.cpp -P EmbedBytes.cmake
# Writes the bytes of INPUT into a C++ file that defines laneBitcode().

file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUTPUT}" "// Generated from Exports.cpp.
#include \"ptoscope/Meaning/Bitcode.h\"

alignas(8) static constexpr unsigned char kBytes[] = {
${hex}};

std::span<const unsigned char> ptoscope::laneBitcode() { return kBytes; }
")
