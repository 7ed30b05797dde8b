import type { IncomingHttpHeaders } from 'node:http'

const LONGEST_MS = 86_400_000

function bounded(ms: number): number | null {
  return Number.isFinite(ms) && ms >= 0 ? Math.min(Math.ceil(ms), LONGEST_MS) : null
}

/**
 * Milliseconds from `retry-after-ms` (OpenAI, Azure) or `retry-after` (RFC 9110: seconds, or a date); null when
 * neither is there or can be read. `now`: epoch milliseconds. At most a day.
 */
export function readRetryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const inMs = headers['retry-after-ms']
  if (typeof inMs === 'string' && /^\d+(\.\d+)?$/.test(inMs.trim())) return bounded(Number(inMs))
  const value = headers['retry-after']?.trim()
  if (!value) return null
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1000)
  // Date.parse takes bare numbers, too: as years.
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : bounded(Math.max(0, at - now))
}
