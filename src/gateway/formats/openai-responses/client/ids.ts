const PREFIX = 'req_'

/** The id of the response to a request. */
export function responseId(requestId: string): string {
  return `resp_${suffixOf(requestId)}`
}

/** Null for an id that no response of this gateway has. */
export function requestIdOf(id: string): string | null {
  return /^resp_\w+$/.test(id) ? PREFIX + id.slice('resp_'.length) : null
}

/** OpenAI accepts ids of items only with the prefix of their type, such as `msg_`. */
export function itemId(prefix: string, requestId: string, index: number): string {
  return `${prefix}_${suffixOf(requestId)}_${index}`
}

function suffixOf(requestId: string): string {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : requestId
}
