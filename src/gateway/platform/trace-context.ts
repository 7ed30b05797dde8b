// W3C Trace Context, level 2: https://www.w3.org/TR/trace-context-2/
import type { IncomingHttpHeaders } from 'node:http'

/** Where a request belongs in the trace of its caller. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  flags: number
  /** The unchanged `tracestate` header; null without a valid one. */
  state: string | null
}

export type TraceHeaders = Readonly<Record<string, string>>

/** Later versions may append fields to those of version 00. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{0,200})?$/
const MAX_STATE_LENGTH = 512
const MAX_STATE_MEMBERS = 32
const STATE_MEMBER =
  /^[a-z0-9][a-z0-9_\-*/]{0,240}(?:@[a-z0-9][a-z0-9_\-*/]{0,13})?=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/

/** Null without the header, and for one that is malformed, sent twice or all zeros. */
export function readTraceParent({ traceparent, tracestate }: IncomingHttpHeaders): TraceParent | null {
  if (typeof traceparent !== 'string') return null
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state: readState(tracestate) }
}

/** The headers that tell a server of this parent. Only what version 00 defines is written. */
export function traceHeaders({ traceId, spanId, flags, state }: TraceParent): TraceHeaders {
  const written = (flags & 0b11).toString(16).padStart(2, '0')
  const traceparent = `00-${traceId}-${spanId}-${written}`
  return state === null ? { traceparent } : { traceparent, tracestate: state }
}

/** An invalid list is discarded as a whole. */
function readState(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > MAX_STATE_LENGTH) return null
  const members = header
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const names = new Set(members.map((member) => member.slice(0, member.indexOf('='))))
  const isValid =
    members.length <= MAX_STATE_MEMBERS &&
    names.size === members.length &&
    members.every((member) => STATE_MEMBER.test(member))
  return isValid && members.length > 0 ? members.join(',') : null
}
