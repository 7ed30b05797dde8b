// The events of agents that say what a call of a model has used. Nothing else of them is read.
import { otherTier } from '../../../../gateway/formats/chat/usage.ts'
import { nameEvent } from '../imported-rows.ts'
import { createRow, readCount, readName, splitPrompt, type Tokens, type UsageRow } from '../readers/reader.ts'
import type { LogRecord } from './otlp-logs.ts'

/** Characters. A sender must not fill the disk with names. */
const MAX_NAME = 200

type Attributes = LogRecord['attributes']

/** The part of a call that events have. */
type EventUse = Pick<UsageRow, 'tool' | 'session' | 'tokens' | 'tier' | 'answerId' | 'unsplitWrites'>

/** Null for an event of another kind, `invalid` for one without what is needed to count it. */
export function readUsageEvent({ body, attributes }: LogRecord): UsageRow | 'invalid' | null {
  const name = readName(attributes['event.name']) ?? ''
  const use = readClaudeCode(name, body, attributes) ?? readCodex(name, attributes)
  if (use === null) return null
  const { 'event.timestamp': time, model } = attributes
  const { session, answerId } = use
  const names = [session, readName(model), answerId ?? '']
  if (names.some((text) => text === null || text.length > MAX_NAME)) return 'invalid'
  const place = answerId ?? `${time} ${Object.values(use.tokens).join(' ')}`
  // The answer to the sender says how many are not counted.
  return createRow({ ...use, time, model, identity: nameEvent(session, place) }, { skip() {} }) ?? 'invalid'
}

/** Reads events of version 2.1.330. Earlier ones do not divide cache writes by their lifetimes. */
function readClaudeCode(name: string, body: LogRecord['body'], attributes: Attributes): EventUse | null {
  if (body !== 'claude_code.api_request' && name !== 'claude_code.api_request') return null
  const [minutes, hour] = ['5m', '1h'].map((life) => attributes[`cache_creation_${life}_tokens`])
  const isSplit = minutes !== undefined && hour !== undefined
  const tokens: Tokens = {
    input: toCount(attributes.input_tokens),
    cacheRead: toCount(attributes.cache_read_tokens),
    cacheWrite5m: toCount(isSplit ? minutes : attributes.cache_creation_tokens),
    cacheWrite1h: isSplit ? toCount(hour) : 0,
    output: toCount(attributes.output_tokens),
    reasoning: 0,
  }
  return {
    tool: 'claude-code',
    session: readName(attributes['session.id']) ?? 'unknown',
    tokens,
    tier: otherTier(attributes.speed === 'normal' ? 'standard' : attributes.speed, 'speed').otherTier ?? null,
    answerId: readName(attributes.request_id),
    ...(!isSplit && { unsplitWrites: true }),
  }
}

/** Reads events of version 0.169.0. The end of an answer is two events, of which the second has the tokens, some as texts. */
function readCodex(name: string, attributes: Attributes): EventUse | null {
  const { 'event.kind': kind, input_token_count: prompt } = attributes
  if (name !== 'codex.sse_event' || kind !== 'response.completed' || prompt === undefined) return null
  return {
    tool: 'codex',
    session: readName(attributes['conversation.id']) ?? 'unknown',
    tokens: splitPrompt({
      prompt: toCount(prompt),
      cacheRead: toCount(attributes.cached_token_count),
      cacheWrite: toCount(attributes.cache_write_token_count),
      output: toCount(attributes.output_token_count),
      reasoning: toCount(attributes.reasoning_token_count),
    }),
    tier: null,
    answerId: null,
  }
}

function toCount(value: unknown): number {
  return readCount(typeof value === 'string' ? Number(value) : value)
}
