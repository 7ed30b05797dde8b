// How values of a request row are stored in few bytes. NULL is stored as NULL.

import type {
  Attempt,
  CostStatus,
  RequestAgent,
  RequestStatus,
  UsageBuckets,
} from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { FinishReason } from '../../../shared/formats/chat-completion.ts'
import { nanoUsd } from '../../../shared/money/money.ts'
import type { SqlValue } from '../engine/statement.ts'
import type { SessionNumbers, Texts } from './session-numbers.ts'

/** The values of a row that decide how others are stored. */
export interface EncodedWith {
  createdAt?: number
  model?: string | null
  provider?: string | null
  tokensIn?: number
  tokensOut?: number
}

/** The stored form of the same values. */
export type DecodedWith = Record<keyof EncodedWith, SqlValue>

export interface NumberTables {
  texts: Texts
  sessions: SessionNumbers
}

/** How a value other than null is stored. */
export interface Codec<T> {
  encode(value: T, row: EncodedWith, numbered: NumberTables): SqlValue
  /** Only given what `encode` returned, other than NULL. */
  decode(stored: SqlValue, row: DecodedWith, numbered: NumberTables): T | null
  /** The value of NULL, if it is not null. */
  absent?: T
}

/** Numbers of the outcomes. They are in databases: none may change. */
export const STATUS_CODES = {
  running: 0,
  succeeded: 1,
  failed: 2,
  canceled: 3,
  refused: 4,
  rejected: 5,
} as const
export const COST_STATUS_CODES = {
  pending: 0,
  exact: 1,
  estimated: 2,
  unsettled: 3,
  confirmed: 4,
  unknown: 5,
  free: 6,
  plan: 7,
  cached: 8,
} as const

export const FINISH_REASON_CODES = { stop: 0, length: 1, tool_calls: 2, content_filter: 3 } as const
export const AGENT_ROLE_CODES = { main: 0, subagent: 1, workflow: 2, compaction: 3, auxiliary: 4 } as const

const DEFAULT_ID = /^req_[0-9a-f]{32}$/
export const MICROS_PER_MS = 1_000

export const plainNumber: Codec<number> = { encode: (value) => value, decode: Number }
export const nano: Codec<ReturnType<typeof nanoUsd>> = {
  encode: (value) => value,
  decode: (stored) => nanoUsd(Number(stored)),
}

/** Milliseconds to three decimals. */
export const millis: Codec<number> = {
  encode: (ms) => Math.round(ms * MICROS_PER_MS),
  decode: (stored) => Number(stored) / MICROS_PER_MS,
}

/** 16 bytes, unless the id has another form. */
export const requestId: Codec<string> = { encode: encodeId, decode: decodeId }

export function encodeId(id: string): Uint8Array | string {
  return DEFAULT_ID.test(id) ? Buffer.from(id.slice(4), 'hex') : id
}

export function decodeId(stored: SqlValue): string {
  return stored instanceof Uint8Array ? `req_${Buffer.from(stored).toString('hex')}` : String(stored)
}

/** A text that many rows have. */
export const sharedText: Codec<string> = {
  encode: (text, _row, { texts }) => texts.put(text),
  decode: (stored, _row, { texts }) => texts.getText(stored),
}

export const sessionId: Codec<string> = {
  encode: (id, _row, { sessions }) => sessions.find(id),
  decode: (stored, _row, { sessions }) => sessions.getId(stored),
}

export function sharedJson<T>(): Codec<T> {
  return {
    encode: (value, _row, { texts }) => texts.put(JSON.stringify(value)),
    decode: (stored, _row, { texts }) => parse<T>(texts.getText(stored)),
  }
}

export const status = coded<RequestStatus>(STATUS_CODES)
export const finishReason = coded<FinishReason>(FINISH_REASON_CODES)
export const agentRole = coded<RequestAgent['role']>(AGENT_ROLE_CODES)
export const costStatus = coded<CostStatus>(COST_STATUS_CODES)
/** The status of this number. */
export const readCostStatus = costStatus.decode

/** Values that are stored as numbers. */
export function coded<T extends string>(codes: Readonly<Record<T, number>>) {
  const names = new Map<number, T>()
  for (const name in codes) names.set(codes[name], name)
  return {
    encode: (value: T) => codes[value],
    decode(stored: SqlValue): T {
      const name = names.get(Number(stored))
      if (name === undefined) throw new Error(`no value has the code ${String(stored)}`)
      return name
    },
  }
}

/** Milliseconds since the request was made. */
export const sinceCreated: Codec<number> = {
  encode: (at, { createdAt = 0 }) => at - createdAt,
  decode: (stored, { createdAt }) => Number(createdAt) + Number(stored),
}

/** The counts that a text can name. */
export type NamedCounts = UsageBuckets & Record<string, number | undefined>

/**
 * JSON of the buckets that differ from what the row's tokens suggest: all of the prompt as input, all of the answer as
 * output, nothing else. 0 if none differs.
 */
export const usage: Codec<UsageBuckets> = {
  encode(buckets, { tokensIn = 0, tokensOut = 0 }) {
    const expected = getUsage(tokensIn, tokensOut)
    let other: Record<string, number> | null = null
    for (const [name, count] of Object.entries(buckets)) {
      if (count === undefined || count === expected[name]) continue
      other ??= {}
      other[name] = count
    }
    return other ? JSON.stringify(other) : 0n
  },
  decode: (stored, { tokensIn, tokensOut }) => decodeUsage(stored, Number(tokensIn), Number(tokensOut)),
}

export function decodeUsage(stored: SqlValue, tokensIn: number, tokensOut: number): NamedCounts {
  const expected = getUsage(tokensIn, tokensOut)
  return typeof stored === 'string' ? { ...expected, ...parse<Partial<UsageBuckets>>(stored) } : expected
}

function getUsage(tokensIn: number, tokensOut: number): NamedCounts {
  return { ...NO_USAGE, input: tokensIn, output: tokensOut }
}

/** The duration of a single attempt that succeeded, in microseconds; JSON of any others. */
export const attempts: Codec<Attempt[]> = {
  absent: [],
  encode(list, { model, provider }) {
    const [only] = list
    if (!only) return null
    const isUsual =
      list.length === 1 &&
      only.status === 200 &&
      only.error === null &&
      only.model === model &&
      only.provider === provider
    return isUsual ? BigInt(Math.round(only.ms * MICROS_PER_MS)) : JSON.stringify(list)
  },
  decode(stored, { model, provider }, { texts }) {
    if (typeof stored === 'string') return parse<Attempt[]>(stored)
    const ms = Number(stored) / MICROS_PER_MS
    const usual = { status: 200, startMs: 0, ms, error: null }
    return [{ provider: texts.getText(provider), model: texts.getText(model), ...usual }]
  },
}

function parse<T>(text: string): T {
  const value: T = JSON.parse(text)
  return value
}
