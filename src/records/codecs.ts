/** Owns the codecs of record batches by the number in their attributes, and the bound on what one batch may become. */
import {
  constants,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
  type ZlibOptions,
  type ZstdOptions,
} from 'node:zlib'
import { compressLz4, decompressLz4, measureLz4 } from './lz4-codec.ts'
import { compressSnappy, compressSnappyJava, decompressSnappy, measureSnappy } from './snappy-codec.ts'

/** Kafka's numbers. */
export const CODEC_ID = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const
export type Codec = keyof typeof CODEC_ID

/** One batch may become at most 1 GiB: a broker's largest batch is bounded before compression, so more is damage or an attack. */
const DECOMPRESSED_BYTES_MAX = 2 ** 30

/** zlib collects its output in pieces of this size: its default of 16 kB costs a copy more per piece. */
const CHUNK_BYTES = 256 * 1024

const GZIP_OPTIONS: ZlibOptions = { maxOutputLength: DECOMPRESSED_BYTES_MAX, chunkSize: CHUNK_BYTES }
const ZSTD_OPTIONS: ZstdOptions = {
  maxOutputLength: DECOMPRESSED_BYTES_MAX,
  chunkSize: CHUNK_BYTES,
  // zstd's own default: a frame that asks for a window above 128 MiB is refused
  params: { [constants.ZSTD_d_windowLogMax]: 27 },
}

/** What became of a batch's records section: bytes, or why there are none (law 7's codes `codec` and `corrupt`). */
export type Decompressed =
  { readonly bytes: Uint8Array } | { readonly code: 'codec' | 'corrupt'; readonly message: string }

const TOO_LARGE: Decompressed = {
  code: 'codec',
  message: `it would decompress to more than ${DECOMPRESSED_BYTES_MAX} bytes`,
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

function run(codec: number, bytes: Uint8Array): Uint8Array | undefined {
  switch (codec) {
    case CODEC_ID.gzip:
      return gunzipSync(bytes, GZIP_OPTIONS)
    case CODEC_ID.snappy:
      return measureSnappy(bytes) > DECOMPRESSED_BYTES_MAX ? undefined : decompressSnappy(bytes)
    case CODEC_ID.lz4:
      return measureLz4(bytes) > DECOMPRESSED_BYTES_MAX ? undefined : decompressLz4(bytes)
    default:
      return zstdDecompressSync(bytes, ZSTD_OPTIONS)
  }
}

/** Decompresses the records section of a batch with Kafka's codec number. Never throws. */
export function decompress(codec: number, bytes: Uint8Array): Decompressed {
  if (codec === CODEC_ID.none) return { bytes }
  if (codec > CODEC_ID.zstd) return { code: 'codec', message: `its compression codec ${codec} is unknown` }
  try {
    const result = run(codec, bytes)
    return result === undefined ? TOO_LARGE : { bytes: result }
  } catch (error) {
    if (isTooLarge(error)) return TOO_LARGE
    const name = Object.entries(CODEC_ID).find(([, id]) => id === codec)?.[0]
    const reason = error instanceof Error ? error.message : String(error)
    return { code: 'corrupt', message: `its ${name} data can't be decompressed: ${reason}` }
  }
}

/** Compresses the records section of a batch; `snappyJava` chooses the framing of Java clients. */
export function compress(codec: Codec, bytes: Uint8Array, snappyJava = false): Uint8Array {
  switch (codec) {
    case 'none':
      return bytes
    case 'gzip':
      return gzipSync(bytes)
    case 'snappy':
      return snappyJava ? compressSnappyJava(bytes) : compressSnappy(bytes)
    case 'lz4':
      return compressLz4(bytes)
    case 'zstd':
      return zstdCompressSync(bytes)
  }
}
