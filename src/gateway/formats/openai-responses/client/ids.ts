const PREFIX = 'req_'

/** The id of the response to a request. */
export function responseId(requestId: string): string {
  return `resp_${suffixOf(requestId)}`
}

/** OpenAI accepts ids of items only with the prefix of their type, such as `msg_`. */
export function itemId(prefix: string, requestId: string, index: number): string {
  return `${prefix}_${suffixOf(requestId)}_${index}`
}

function suffixOf(requestId: string): string {
  return requestId.startsWith(PREFIX) ? requestId.slice(PREFIX.length) : requestId
}
