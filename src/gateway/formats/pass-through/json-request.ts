// Reads members of requests and answers.

import type { PassThrough, PassThroughInput, RawAnswer } from '../chat/pass-through.ts'
import { readMember, setMember } from '../json/edit-json.ts'
import { asObject, isObject, type JsonObject, parseJson, tokenCount } from '../json/json.ts'

/** Used to estimate tokens that a provider does not report. */
export const BYTES_PER_TOKEN = 4

/** The answer as a JSON object; an empty one if it is none. */
export function readJsonAnswer({ bytes }: RawAnswer): JsonObject {
  return asObject(parseJson(bytes.toString('utf8')))
}

/** A cost in USD that the provider reports for the request. */
export function readReportedCost({ cost }: JsonObject): number | null {
  return typeof cost === 'number' && cost >= 0 && cost <= 10_000 ? cost : null
}

/** The tokens of a `usage` without output. Null when it has none, and for 0: such a server does not count tokens. */
export function readInputTokens(usage: JsonObject): number | null {
  const counts = [usage.prompt_tokens, usage.input_tokens, usage.total_tokens].map(tokenCount)
  return counts.find((count) => count !== null && count > 0) ?? null
}

/** The bytes of all strings in a JSON value, which bound its tokens. */
export function countStringBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countStringBytes(each), 0)
  return isObject(value) ? countStringBytes(Object.values(value)) : 0
}

/** All strings in a JSON value, one a line. */
export function joinStrings(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(joinStrings).join('\n')
  return isObject(value) ? joinStrings(Object.values(value)) : ''
}

const HEADERS = { 'content-type': 'application/json' }

/** The body with the provider's name of the model, otherwise unchanged. */
export function encodeJson({ bytes }: PassThroughInput): PassThrough['encode'] {
  const text = bytes.toString('utf8')
  const given = readMember(text, 'model')
  return (model) => ({
    headers: { ...HEADERS },
    body: given === JSON.stringify(model) ? text : setMember(text, ['model'], model),
  })
}
