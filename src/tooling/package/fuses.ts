// Electron's fuses: a byte for each option inside the executable, after a marker. The format is that of `@electron/fuses`.
import { readFileSync, writeFileSync } from 'node:fs'

const MARKER = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
/** Between the marker and the fuses: the version of the format, and the number of fuses. */
const HEADER_BYTES = 2
const ON = '1'.charCodeAt(0)

/** Ordered as in the executable. */
const FUSES = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
] as const

type Fuse = (typeof FUSES)[number]

/** The fuses of an executable that are on. */
export function readFuses(executable: string): Fuse[] {
  const bytes = readFileSync(executable)
  const start = findFuses(bytes)
  return FUSES.filter((_, at) => bytes[start + at] === ON)
}

/** Writes a copy of an executable, with one more fuse on. */
export function copyWithFuse(executable: string, copy: string, fuse: Fuse): void {
  const bytes = readFileSync(executable)
  bytes[findFuses(bytes) + FUSES.indexOf(fuse)] = ON
  writeFileSync(copy, bytes, { mode: 0o755 })
}

function findFuses(bytes: Buffer): number {
  const marker = bytes.indexOf(MARKER)
  if (marker === -1) throw new Error('This executable has no fuses.')
  return marker + MARKER.length + HEADER_BYTES
}
