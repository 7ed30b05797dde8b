// Fields of chat completions that the Responses API lacks. `seed` (best effort, deprecated) and `prediction` (only faster)
// are omitted; a request with another one would be served differently than asked. Source: OpenAI's guide "Migrate to the
// Responses API".
import type { KnownChatRequest } from '../../../shared/chat.ts'
import { isObject } from '../json.ts'
import { refuseRequest } from '../refuse-request.ts'

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Whether the value asks for what happens without the field. */
const DEFAULTS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['stop', isEmpty],
  ['presence_penalty', (value) => value === 0],
  ['frequency_penalty', (value) => value === 0],
  ['logit_bias', (value) => isObject(value) && Object.keys(value).length === 0],
  ['audio', () => false],
  [
    'modalities',
    (value) => isEmpty(value) || (Array.isArray(value) && value.every((each) => each === 'text')),
  ],
  ['functions', isEmpty],
  ['function_call', (value) => value === 'none' || value === 'auto'],
])

/** Throws 400 with `param` for a field that cannot be sent. */
export function refuseUnsupportedFields(request: KnownChatRequest): void {
  for (const [name, isDefault] of DEFAULTS) {
    const value = request[name]
    if (value === undefined || value === null || isDefault(value)) continue
    throw refuseRequest(
      `The Responses API, through which this model is called, has no "${name}": leave it out.`,
      name,
    )
  }
}
