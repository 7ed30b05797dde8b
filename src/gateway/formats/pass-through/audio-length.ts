// How long a sound is, from its header or its bytes. Sources: the WAVE format (RIFF, `fmt `), the frame header of MPEG audio
// (ISO 11172-3, 13818-3), OpenAI's API reference (audio/speech, `response_format`).

/** A sound, of which only the beginning need be known. */
export interface Sound {
  head: Buffer
  /** Bytes of the whole sound. */
  length: number
  mediaType: string
}

/** The bytes of a sound that are kept for its header. */
export const SOUND_HEAD_BYTES = 4_096

/** Bytes a second where the header does not say: raw samples at 24 kHz, and usual bit rates. */
const USUAL_RATES: readonly [RegExp, number][] = [
  [/pcm|l16/, 48_000],
  [/flac/, 24_000],
  [/opus|ogg/, 4_000],
  [/aac/, 8_000],
]
/** 128 kbit/s. */
export const USUAL_BYTES = 16_000

/** The likely seconds of a sound, rounded up. */
export function estimateSeconds({ head, length, mediaType }: Sound): number {
  if (length === 0) return 0
  const rate =
    readWavRate(head) ?? readMp3Rate(head) ?? USUAL_RATES.find(([type]) => type.test(mediaType))?.[1]
  return Math.ceil(length / (rate ?? USUAL_BYTES))
}

/** WAV's codes of uncompressed samples: integers and floating point. */
const UNCOMPRESSED: readonly number[] = [1, 3]
/** The code of an extended header, whose sub-format is a GUID: a code of samples and a fixed tail. */
const EXTENSIBLE = 0xfffe
const SUB_FORMAT_TAIL = '000000001000800000aa00389b71'

/**
 * The bytes a second of an uncompressed WAV file, by its header: null for other files, whose bytes a second are only what the
 * header claims.
 */
export function readWavRate(file: Buffer): number | null {
  if (file.byteLength < 44 || file.toString('latin1', 0, 4) !== 'RIFF') return null
  if (file.toString('latin1', 8, 16) !== 'WAVEfmt ' || !UNCOMPRESSED.includes(sampleFormat(file))) return null
  const [channels, samples, bits] = [file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]
  const bytesPerSecond = (samples * channels * bits) / 8
  return bytesPerSecond === 0 || bytesPerSecond !== file.readUInt32LE(28) ? null : bytesPerSecond
}

/** The code of the samples' format, by the sub-format where the header is extended (0 if that is not a WAV code). */
function sampleFormat(file: Buffer): number {
  const code = file.readUInt16LE(20)
  if (code !== EXTENSIBLE) return code
  const isWavCode = file.readUInt32LE(16) >= 40 && file.toString('hex', 46, 60) === SUB_FORMAT_TAIL
  return isWavCode ? file.readUInt16LE(44) : 0
}

/** kbit/s of layer III by the index in a frame's header: of MPEG 1, and of MPEG 2 and 2.5. */
const BIT_RATES = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const

/** The bytes a second of the first frame of an MP3 file; null for other files. */
function readMp3Rate(file: Buffer): number | null {
  const isTagged = file.toString('latin1', 0, 3) === 'ID3' && file.byteLength >= 10
  const at = isTagged ? 10 + readTagLength(file) : 0
  if (file.byteLength < at + 4 || file[at] !== 0xff) return null
  const [second = 0, third = 0] = file.subarray(at + 1, at + 3)
  // Eleven bits of synchronization, then the version, and layer III.
  if ((second & 0xe0) !== 0xe0 || (second & 0x06) !== 0x02) return null
  const kilobits = BIT_RATES[(second & 0x18) === 0x18 ? 1 : 2][third >> 4]
  return kilobits ? kilobits * 125 : null
}

/** Four bytes of seven bits each. */
function readTagLength(file: Buffer): number {
  return file.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0)
}
