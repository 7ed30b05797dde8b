import { createHmac, randomBytes } from 'node:crypto'
import type { ChatRequest } from '../../shared/chat.ts'

/** Known only to this process, so that a fingerprint says nothing about its prompt. */
const KEY = randomBytes(32)
/** The bytes of the hash that are compared. */
const BYTES = 6
const LAST_MESSAGES = 4
/** Of a long text, this much of its beginning and of its end. */
const SAMPLE = 512
/** How deep the parts of a message are followed. */
const MAX_DEPTH = 6
/** The members of a message that are read. */
const MAX_VALUES = 200
/** Differs each time although the message is the same. */
const IDS: ReadonlySet<string> = new Set(['id', 'tool_call_id', 'cache_control'])

/**
 * The same number for requests with the same model, number of messages, first message and last four messages. The work
 * does not grow with the request.
 */
export function fingerprintOf({ model, messages }: ChatRequest): number {
  const hash = createHmac('sha256', KEY)
  hash.update(`${model}\0${messages.length}\0`)
  let left = MAX_VALUES
  const visit = (value: unknown, depth: number): void => {
    if (left-- <= 0 || depth > MAX_DEPTH) return
    if (typeof value === 'string') {
      hash.update(`${value.length}:`)
      hash.update(value.length <= 2 * SAMPLE ? value : value.slice(0, SAMPLE) + value.slice(-SAMPLE))
    } else if (typeof value !== 'object' || value === null) hash.update(`${String(value)};`)
    else {
      for (const name in value) {
        if (left <= 0) return
        if (IDS.has(name)) continue
        hash.update(`${name}=`)
        visit(Reflect.get(value, name), depth + 1)
      }
    }
  }
  const rest = messages.slice(Math.max(1, messages.length - LAST_MESSAGES))
  for (const message of [messages[0], ...rest]) visit(message, 0)
  return hash.digest().readUIntBE(0, BYTES)
}
