import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ApiFormat } from '../../shared/providers.ts'

const FOLDER = resolve(import.meta.dirname, '../../gateway/formats')

export interface Recordings {
  plain: readonly Buffer[]
  stream: readonly Buffer[]
  /** A complete response. */
  goodPlain: Buffer
  goodStream: Buffer
}

export function readRecordings(format: ApiFormat): Recordings {
  const folder = join(FOLDER, format, 'fixtures')
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
