// Sources: Google's API error model (`google.rpc.Status`) and the Gemini API reference, `FinishReason`.
import {
  describeError,
  errorStatus,
  textError,
  type UpstreamErrorBody,
  UpstreamFailure,
} from '../chat/failure.ts'
import { isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'

/** Some endpoints wrap the error object in an array. */
export function errorIn(value: unknown): JsonObject | null {
  const outer = Array.isArray(value) ? value[0] : value
  return isObject(outer) && isObject(outer.error) ? outer.error : null
}

/** The text itself is the message when it does not have Google's shape (a proxy's error page). */
export function readGeminiError(text: string): UpstreamErrorBody {
  const error = errorIn(parseJson(text))
  if (!error) return textError(text)
  const status = typeof error.status === 'string' ? error.status : null
  return { message: stringOr(error.message, ''), code: status, param: null, type: status }
}

/** Reads an error object that was sent with status 200. */
export function toFailure(error: JsonObject): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'status',
    status: errorStatus(error.code),
    code: typeof error.status === 'string' ? error.status : null,
    message: describeError(stringOr(error.message, '')),
  })
}

const FINISH_REASONS: ReadonlyMap<string, 'stop' | 'length' | 'content_filter' | 'failed'> = new Map(
  Object.entries<'stop' | 'length' | 'content_filter' | 'failed'>({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    // The model would continue if the client sent a token, but the chat-completions format has no field for it.
    CONTINUATION: 'length',
    SAFETY: 'content_filter',
    RECITATION: 'content_filter',
    LANGUAGE: 'content_filter',
    BLOCKLIST: 'content_filter',
    PROHIBITED_CONTENT: 'content_filter',
    SPII: 'content_filter',
    IMAGE_SAFETY: 'content_filter',
    IMAGE_PROHIBITED_CONTENT: 'content_filter',
    IMAGE_RECITATION: 'content_filter',
    IMAGE_OTHER: 'content_filter',
    NO_IMAGE: 'content_filter',
    MALFORMED_FUNCTION_CALL: 'failed',
    MALFORMED_RESPONSE: 'failed',
    TOO_MANY_TOOL_CALLS: 'failed',
    UNEXPECTED_TOOL_CALL: 'failed',
  }),
)

/** The finish reason in the clients' format, or a failure. */
export function toFinishReason(
  reason: string,
  message: unknown,
  hasCalls: boolean,
): string | UpstreamFailure {
  const finish = FINISH_REASONS.get(reason) ?? 'stop'
  if (finish === 'failed') {
    return new UpstreamFailure({
      kind: 'malformed',
      final: true,
      code: reason,
      message: `The model's answer was not usable (${reason}). ${stringOr(message, '')}`.trim(),
    })
  }
  return hasCalls && finish === 'stop' ? 'tool_calls' : finish
}
