import type { UpstreamErrorBody } from './codec.ts'

/** An error body without the shape of its format, such as a proxy's error page: its text is the message. */
export function textError(text: string): UpstreamErrorBody {
  return { message: text.trim(), code: null, param: null, type: null }
}

/** The first value that is the HTTP status of an error, or null. */
export function errorStatus(...values: readonly unknown[]): number | null {
  const statuses = values.map(Number)
  return statuses.find((status) => Number.isInteger(status) && status >= 400 && status <= 599) ?? null
}

/** The provider's message, or what to say if it has none. */
export function describeError(message: string): string {
  return message || 'The provider reported an error without a message.'
}
