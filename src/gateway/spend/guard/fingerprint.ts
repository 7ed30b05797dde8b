import { hash, randomBytes } from 'node:crypto'
import type { ChatRequest } from '../../../shared/chat.ts'

/** Known only to this process, so that a fingerprint says nothing about its prompt. */
const KEY = randomBytes(32).toString('base64')
/** The hexadecimal digits of the hash that are compared: as many as a number can hold. */
const DIGITS = 12
const LAST_MESSAGES = 4
/** Of a long text, this much of its beginning and of its end. */
const SAMPLE = 256
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
  // Hashed at once: each call of a hash takes longer than all of this.
  let text = `${KEY}${model}\0${messages.length}\0`
  let left = MAX_VALUES
  const visit = (value: unknown, depth: number): void => {
    if (left-- <= 0 || depth > MAX_DEPTH) return
    if (typeof value === 'string') {
      text += `${value.length}:`
      text += value.length <= 2 * SAMPLE ? value : value.slice(0, SAMPLE) + value.slice(-SAMPLE)
    } else if (typeof value !== 'object' || value === null) text += `${String(value)};`
    else {
      for (const name in value) {
        if (left <= 0) return
        if (IDS.has(name)) continue
        text += `${name}=`
        visit(Reflect.get(value, name), depth + 1)
      }
    }
  }
  visit(messages[0], 0)
  for (let at = Math.max(1, messages.length - LAST_MESSAGES); at < messages.length; at++)
    visit(messages[at], 0)
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, DIGITS), 16)
}
