// The form of errors and the end of streams, by the API format of the path.
import { z } from 'zod'
import { ERROR_TYPES } from '../../shared/api/terms.ts'

interface AnswerForm {
  /** The path, with its query. */
  path: RegExp
  error: z.ZodType
  /** The last event of a stream: a complete one, or one that failed. */
  streamEnd: RegExp
}

const OpenAIError = z.strictObject({
  error: z.strictObject({
    type: z.enum(ERROR_TYPES),
    message: z.string(),
    code: z.string().nullish(),
    param: z.string().nullish(),
  }),
})

/** The types in `@anthropic-ai/sdk`, with the one for 413. */
const ANTHROPIC_ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'overloaded_error',
  'api_error',
] as const
const AnthropicError = z.strictObject({
  type: z.literal('error'),
  error: z.looseObject({ type: z.enum(ANTHROPIC_ERROR_TYPES), message: z.string() }),
  request_id: z.string(),
})

const GoogleError = z.strictObject({
  error: z.strictObject({
    code: z.int(),
    message: z.string(),
    status: z.string().regex(/^[A-Z_]+$/),
    details: z.array(z.looseObject({})).optional(),
  }),
})

/** The first that matches counts. */
const forms: readonly AnswerForm[] = [
  {
    path: /^\/v1\/messages\b/,
    error: AnthropicError,
    streamEnd: /(event: message_stop\ndata: \{[^\n]*\}|event: error\ndata: \{[^\n]*\})\n\n$/,
  },
  {
    path: /^\/v1\/responses\b/,
    error: OpenAIError,
    streamEnd: /event: (response\.(completed|incomplete|failed)|error)\ndata: \{[^\n]*\}\n\n$/,
  },
  {
    path: /^\/v1beta\/|^\/v1\/models\/.+:\w+(\?|$)/,
    error: GoogleError,
    // Gemini's streams have no marker for their end.
    streamEnd: /data: \{[^\n]*\}\n\n$/,
  },
  { path: /^/, error: OpenAIError, streamEnd: /data: \[DONE\]\n\n$/ },
]

function findForm(path: string): AnswerForm {
  const form = forms.find((each) => each.path.test(path))
  if (!form) throw new Error(`no form for ${path}`)
  return form
}

/** Whether the body of an error response has the form of the path's API format. */
export function isErrorFor(path: string, body: unknown): boolean {
  return findForm(path).error.safeParse(body).success
}

/** Whether the body of an error response has the form of any API format. */
export function isError(body: unknown): boolean {
  return forms.some(({ error }) => error.safeParse(body).success)
}

/** Whether server-sent events end as those of the path's API format do. */
export function hasStreamEnd(path: string, events: string): boolean {
  return findForm(path).streamEnd.test(events)
}
