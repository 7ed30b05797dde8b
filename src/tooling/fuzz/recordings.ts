// Owns the recorded answers of each API format, which the fuzzer damages.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const FOLDER = resolve(import.meta.dirname, '../../gateway/wire/fixtures')

/** API formats, and the folder that holds their recordings. */
export const FORMATS = {
  'openai-chat': 'openai',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'gemini',
} as const
export type Format = keyof typeof FORMATS

export interface Recordings {
  plain: readonly Buffer[]
  stream: readonly Buffer[]
  /** The one that nothing is wrong with. */
  goodPlain: Buffer
  goodStream: Buffer
}

export function recordingsOf(format: Format): Recordings {
  const folder = join(FOLDER, FORMATS[format])
  const read = (name: string) => readFileSync(join(folder, name))
  const all = (prefix: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix))
      .map(read)
  return {
    plain: [...all('plain'), ...all('error')],
    stream: all('stream'),
    goodPlain: read('plain.txt'),
    goodStream: read('stream.txt'),
  }
}
