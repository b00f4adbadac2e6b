/**
 * Owns both ways in which producers write snappy: one raw block (librdkafka, Go), or the stream of snappy-java (Java clients):
 * a 16-byte head that begins with 82 "SNAPPY" 00, then blocks of [length int32, raw snappy]. The only importer of `snappy`.
 */
import { compressSync, uncompressSync } from 'snappy'
import { readInt32 } from './record-format.ts'

const JAVA_MAGIC = [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00] as const
const JAVA_HEAD_BYTES = 16
const BLOCK_LENGTH_BYTES = 4

/** With a copy into memory of V8's: outside memory for each batch makes it collect garbage all the time (5 times slower). */
const UNCOMPRESS_OPTIONS = { asBuffer: true, copyOutputData: true }

function isJavaStream(bytes: Uint8Array): boolean {
  return bytes.length >= JAVA_HEAD_BYTES && JAVA_MAGIC.every((byte, index) => bytes[index] === byte)
}

/** The length that a raw block declares: a varint of at most five bytes; -1 where it is none. */
function readDeclaredLength(block: Uint8Array): number {
  let length = 0
  for (let index = 0; index < 5 && index < block.length; index++) {
    const byte = block[index]!
    length += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return length
  }
  return -1
}

function splitBlocks(bytes: Uint8Array): Uint8Array[] {
  if (!isJavaStream(bytes)) return [bytes]
  const blocks: Uint8Array[] = []
  for (let at = JAVA_HEAD_BYTES; at < bytes.length;) {
    if (at + BLOCK_LENGTH_BYTES > bytes.length) throw new Error('snappy block is cut')
    const length = readInt32(bytes, at)
    at += BLOCK_LENGTH_BYTES
    if (length < 0 || at + length > bytes.length) throw new Error('snappy block is cut')
    blocks.push(bytes.subarray(at, at + length))
    at += length
  }
  return blocks
}

/** Length of what decompressSnappy will give, by what the blocks declare. Errors: Error where they are malformed. */
export function measureSnappy(bytes: Uint8Array): number {
  let total = 0
  for (const block of splitBlocks(bytes)) {
    const length = readDeclaredLength(block)
    if (length < 0) throw new Error('snappy block has no length')
    total += length
  }
  return total
}

/** Errors: Error where the bytes are malformed. The caller bounds the output with measureSnappy first. */
export function decompressSnappy(bytes: Uint8Array): Uint8Array {
  const parts = splitBlocks(bytes).map((block) => uncompressSync(block, UNCOMPRESS_OPTIONS) as Buffer)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** One raw block. */
export function compressSnappy(bytes: Uint8Array): Uint8Array {
  return compressSync(bytes)
}

/** The stream of snappy-java in blocks of its default size. */
export function compressSnappyJava(bytes: Uint8Array): Uint8Array {
  const blockBytes = 32 * 1024
  const head = Buffer.from([...JAVA_MAGIC, 0, 0, 0, 1, 0, 0, 0, 1])
  const parts: Uint8Array[] = [head]
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = compressSync(bytes.subarray(at, at + blockBytes))
    const length = Buffer.alloc(BLOCK_LENGTH_BYTES)
    length.writeInt32BE(block.length)
    parts.push(length, block)
  }
  return Buffer.concat(parts)
}
