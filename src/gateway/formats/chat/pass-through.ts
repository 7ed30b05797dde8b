// Requests that are forwarded unchanged except for the model's name: embeddings, images, audio and so on.
import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import type { JsonObject } from '../json/json.ts'
import type { ReportedUsage } from './usage.ts'

/** Billed units other than tokens. */
export type Units = Partial<
  Pick<UsageBuckets, 'audioSeconds' | 'characters' | 'images' | 'searches' | 'webSearches' | 'fileSearches'>
>

/** The paths of OpenAI's API, and of endpoints that many servers add to it. */
export const DEFAULT_PATHS = {
  embeddings: '/embeddings',
  moderations: '/moderations',
  rerank: '/rerank',
  images: '/images/generations',
  imageEdits: '/images/edits',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  speech: '/audio/speech',
} as const satisfies Record<PassThroughEndpoint, string>

/** Where a provider serves which of them: paths below its base URL, or whole URLs. */
export type PassThroughPaths = Readonly<Partial<Record<PassThroughEndpoint, string>>>

/** A sound, of which only the beginning need be known. */
export interface Sound {
  head: Buffer
  /** Bytes of the whole sound. */
  length: number
  mediaType: string
}

/** The bytes of a sound that are kept for its header. */
export const SOUND_HEAD_BYTES = 4_096

export interface RawAnswer {
  bytes: Buffer
  mediaType: string
  /** The sound that has passed through before. */
  sound?: Sound
}

/** The usage of an answer in tokens and other units. Its model may be billed by either or both. */
export interface RawUsage {
  /** Null where they are not reported. */
  tokens: { counts: Partial<UsageBuckets>; estimated?: boolean } | null
  units?: { counts: Units; estimated?: boolean }
  /** The cost that the provider reported, or null. */
  costUsd: number | null
}

/** Reads the report of an answer; null if its tokens are to be counted here. */
export type UsageReader = (answer: RawAnswer) => ReportedUsage | null

export type RawUsageReader = (answer: RawAnswer) => RawUsage

/** The most that an answer can be billed for, and what is likely. */
export interface UsageBound {
  /** Tokens. */
  input: number
  /** Tokens. */
  output: number
  most: Units
  likely: Units
}

export interface PassThrough {
  endpoint: PassThroughEndpoint
  /** The unit that the model may be billed by instead of tokens. */
  unit: keyof Units | null
  model: string
  /** Whether the client asks for events. Other speech also arrives in parts. */
  stream?: boolean
  /** The text that the model reads, for an estimate of its tokens. */
  text: string
  /** Tokens that the request has as numbers, in addition to `text`. */
  givenTokens?: number
  /** The likely tokens of the prompt. */
  aboutTokens: number
  bound: UsageBound
  /** Inputs whose tokens the bound lacks: each can fill the model's context window. */
  unknownInputs: number
  /** The request for a provider that calls the model by another name. */
  encode(model: string): { headers: Record<string, string>; body: string; bytes?: Buffer }
  readUsage: RawUsageReader
}

/** A client's request for an endpoint, validated. */
export interface PassThroughInput {
  json: JsonObject
  bytes: Buffer
  /** The boundary of a form; empty for JSON. */
  boundary: string
}

export const NO_BOUND: UsageBound = { input: 0, output: 0, most: {}, likely: {} }
