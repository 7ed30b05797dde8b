const MAX_CAUSES = 3

/** An error as it is logged. */
export interface SerializedError {
  type: string
  message: string
  stack?: string
  code?: string
  cause?: SerializedError
}

/**
 * The fields of an error in the log. A syntax error of JSON.parse quotes its input, which may be a prompt or an
 * answer, so its quote is left out.
 */
export function serializeError(thrown: unknown, depth = 0): SerializedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
  const { name, cause } = thrown
  const message = thrown instanceof SyntaxError ? removeQuote(thrown.message) : thrown.message
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    type: name,
    message,
    stack: [`${name}: ${message}`, ...frames].join('\n'),
    ...('code' in thrown ? { code: String(thrown.code) } : {}),
    ...(cause === undefined || depth === MAX_CAUSES ? {} : { cause: serializeError(cause, depth + 1) }),
  }
}

// V8: `Unexpected token 'x', "…text…" is not valid JSON` and `Unexpected token x in JSON at position 3`.
function removeQuote(message: string): string {
  return message.replace(/, (\.\.\.)?"[\s\S]*/, '')
}
