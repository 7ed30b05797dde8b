import type { ErrorBody, ErrorType } from '../../../../shared/errors.ts'
import type { JsonObject } from '../../json/json.ts'

/** Members of chat requests, and those of the Responses API that they were made from. */
const PARAMS: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
}

function responseParam(param: string): string {
  const [name = ''] = param.split(/[.[]/, 1)
  return PARAMS[name] ?? param
}

/** OpenAI's envelope: `code` and `param` may be null, but not absent. */
export function errorMembers({ message, type, param, code }: ErrorBody) {
  return { message, type, param: param === undefined ? null : responseParam(param), code: code ?? null }
}

export function errorBody(error: ErrorBody): JsonObject {
  return { error: errorMembers(error) }
}

/** OpenAI's codes for a failed response. By them Codex decides whether to retry; it does not after the first two. */
const CODES: Readonly<Partial<Record<ErrorType, string>>> = {
  insufficient_quota: 'insufficient_quota',
  invalid_request_error: 'invalid_prompt',
  rate_limit_exceeded: 'rate_limit_exceeded',
}

export function failureCode({ type }: ErrorBody): string {
  return CODES[type] ?? 'server_error'
}
