/** Owns LZ4 frames, as Kafka's clients write them for format v2. The only importer of `lz4-napi`. */
import { compressFrameSync, decompressFrameSync } from 'lz4-napi'

const FRAME_MAGIC = 0x184d2204
/** Bits of the frame's FLG byte that add bytes to the frame. */
const FLAG = { dictionaryId: 0x01, contentChecksum: 0x04, contentSize: 0x08, blockChecksum: 0x10 } as const
const CHECKSUM_BYTES = 4
const UNCOMPRESSED_BIT = 0x80000000

/** Largest block of a frame by the code in its BD byte (4 to 7): 64 kB, 256 kB, 1 MB, 4 MB. */
function readBlockBytesMax(descriptor: number): number {
  const code = (descriptor >>> 4) & 0x07
  if (code < 4) throw new Error('lz4 frame has an unknown block size')
  return 2 ** (8 + 2 * code)
}

/**
 * Upper bound of what decompressLz4 will give, from the frame's block list; it also sees a frame that is cut, which the
 * library takes for an empty one. Errors: Error where the frame is malformed.
 */
export function measureLz4(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 7 || view.getUint32(0, true) !== FRAME_MAGIC) throw new Error('lz4 frame has no magic number')
  const flags = view.getUint8(4)
  const blockBytesMax = readBlockBytesMax(view.getUint8(5))
  const blockTail = flags & FLAG.blockChecksum ? CHECKSUM_BYTES : 0
  let at = 7 + (flags & FLAG.contentSize ? 8 : 0) + (flags & FLAG.dictionaryId ? 4 : 0)
  let total = 0
  for (;;) {
    if (at + 4 > bytes.length) throw new Error('lz4 frame is cut')
    const size = view.getUint32(at, true)
    at += 4
    if (size === 0) return total
    const stored = size % UNCOMPRESSED_BIT
    total += size >= UNCOMPRESSED_BIT ? stored : blockBytesMax
    at += stored + blockTail
  }
}

/** Errors: Error where the frame is malformed. The caller bounds the output with measureLz4 first. */
export function decompressLz4(bytes: Uint8Array): Uint8Array {
  return decompressFrameSync(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

export function compressLz4(bytes: Uint8Array): Uint8Array {
  return compressFrameSync(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}
