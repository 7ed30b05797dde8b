import type { z } from 'zod'
import type { Quirks } from '../../gateway/formats/chat/codec-types.ts'
import type { JsonObject } from '../../gateway/formats/json/json.ts'

/** Something that a client may ask for. */
export interface Feature {
  name: string
  /** The fields that ask for it. */
  fields: JsonObject
  /** Other fields that it needs, such as the tools to choose from. */
  given?: JsonObject
  /** A text from the fields that must reach the provider; if absent, any difference to the request without them counts. */
  marker?: string
  /** Whether the gateway does it itself with several calls to the provider. */
  byCalls?: (quirks: Quirks) => boolean
}

/** The features that clients of one API format may request. */
export interface ClientFeatures {
  /** The operation. */
  endpoint: string
  /** Checks the requests as the API does. */
  schema: z.ZodType<JsonObject>
  /** The smallest request. */
  base: JsonObject
  features: readonly Feature[]
}
