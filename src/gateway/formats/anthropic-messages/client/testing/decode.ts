import { MessagesRequest } from '../../../../../shared/formats/messages.ts'
import { decodeRequest } from '../codec.ts'

/** A request with one user message, unless `more` has others. */
export function decode(more: object) {
  const body = { model: 'x', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...more }
  return decodeRequest(MessagesRequest.parse(body))
}

export const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
export const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
