// A zip archive of a few files, without dates, so that the same files give the same bytes.

import { deflateRawSync } from "node:zlib";

const table = Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/// Fields of 2 and 4 bytes, by turns of [width, value].
function fields(...pairs) {
  const bytes = Buffer.alloc(pairs.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of pairs) at = bytes.writeUIntLE(value, at, width);
  return bytes;
}

const kFirstOfJanuary1980 = 0x21;

/// entries: [name, bytes]…
export function zip(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of entries) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(bytes, { level: 9 });
    const common = [[2, 20], [2, 0x800], [2, 8], [2, 0], [2, kFirstOfJanuary1980], [4, crc32(bytes)], [4, packed.length], [4, bytes.length], [2, path.length], [2, 0]];
    const header = fields([4, 0x04034b50], ...common);
    directory.push(fields([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path);
    parts.push(header, path, packed);
    offset += header.length + path.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, index.length], [4, offset], [2, 0]);
  return Buffer.concat([...parts, index, end]);
}
