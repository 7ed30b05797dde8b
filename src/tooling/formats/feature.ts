import type { z } from 'zod'
import type { JsonObject } from '../../gateway/formats/json/json.ts'

/** Something that a client may ask for: the fields that do, and others that they need, such as the tools to choose from. */
export type Feature = readonly [name: string, fields: JsonObject, given?: JsonObject]

/** The features that clients of one API format may request. */
export interface ClientFeatures {
  /** The operation. */
  endpoint: string
  /** Checks the requests as the API does. */
  schema: z.ZodType<JsonObject>
  /** The smallest request. */
  base: JsonObject
  features: readonly Feature[]
  /** The member that asks for several answers, which the gateway may get with several calls to the provider. */
  several?: string
}

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PDF = 'JVBERi0xLjEKJSVFT0YK'
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEA'
export const IMAGE_URL = 'https://images.example/cat.png'
export const SIGNATURE = 'bWFyay1vZi10aGUtdmVuZG9y'

/** A text that occurs nowhere else in a request. */
export const MARK = 'an-example'

/** A request that has one of these must carry it to the provider; of any other, every difference counts. */
export const MARKERS = [MARK, PNG, PDF, WAV, IMAGE_URL, SIGNATURE]

export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
