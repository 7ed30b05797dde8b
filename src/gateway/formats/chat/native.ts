// Requests that go through unchanged because the client and the provider use the same API format.
import type { ChatRequest } from '../../../shared/chat.ts'
import type { ApiFormat } from '../../../shared/providers.ts'
import type { JsonObject } from '../json/json.ts'
import type { EncodedRequest } from './encoded-request.ts'
import type { Target } from './target.ts'

/** A client's request in its own format. */
export interface NativeRequest {
  format: ApiFormat
  /** The body as it came: a JSON object. */
  body: string
  /** The body, parsed and validated. */
  json: JsonObject
  /** The same as a chat request; for chat completions, it has the very members of the body. */
  chatRequest: ChatRequest
  stream: boolean
  /** A text completion, which only some providers of the format have (`Target.completionsPath`). */
  isTextCompletion?: boolean
  /** What goes along of the query of the URL, with its `?`, or an empty string. */
  query: string
  /** Headers that the vendor defines for clients, such as `anthropic-beta`, by their lower-case names. */
  headers: Readonly<Record<string, string>>
}

export interface NativeCodec {
  /** The names of the client's headers that go along, in lower case. */
  clientHeaders: readonly string[]
  /** The names of the parameters in the URL's query that go along. */
  clientParameters?: readonly string[]
  /**
   * The client's request for the target. Only the model's name, a missing output limit (`target.enforcedOutputTokens`) and
   * options that make the provider report usage are set; everything else stays byte for byte.
   */
  request(native: NativeRequest, target: Target): EncodedRequest
  /** The client's request for a count of the tokens of its prompt; absent for a format without one. */
  countTokens?(native: NativeRequest, target: Target): EncodedRequest
  /** Set where each event of a stream has a name, which its data repeats as `type`. */
  namesEvents?: true
  /**
   * The JSON of an answer, or the data of a stream's event, with `cost` in its usage object; unchanged if it has none. Absent
   * for chat completions, whose answers are written anew with our id and model.
   */
  addCost?(json: string, costUsd: number): string
}
