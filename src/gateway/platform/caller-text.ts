import { isUtf8 } from 'node:buffer'
import { printable } from '../../shared/visible-text.ts'
import { redactSecrets } from './redact-secrets.ts'

/** Longer texts are cut before the patterns run, which would take too long. */
const MAX_SCANNED = 4_000

/** A text chosen by a caller, made safe to show and store: one line of at most `maxLength`, without API keys. */
export function callerText(text: string, maxLength: number): string {
  const line = redactSecrets(printable(text.slice(0, MAX_SCANNED)))
  return line.length > maxLength || text.length > MAX_SCANNED ? `${line.slice(0, maxLength)}…` : line
}

/** Node reads headers as Latin-1, while clients send UTF-8. */
export function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) && bytes.toString('latin1') === value ? bytes.toString('utf8') : value
}
