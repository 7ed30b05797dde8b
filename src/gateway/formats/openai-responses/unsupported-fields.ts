// `seed` (best effort, deprecated) and `prediction` (only faster) are omitted; a request with another field that the Responses API
// lacks would be served differently than the client wants. Source: OpenAI's guide "Migrate to the Responses API".
import type { KnownChatRequest } from '../../../shared/chat.ts'
import {
  isEmptyList,
  LEGACY_AND_AUDIO,
  refuseFields,
  type UnsupportedFields,
} from '../chat/request-fields.ts'
import { isObject } from '../json/json.ts'

const FIELDS: UnsupportedFields = {
  ...LEGACY_AND_AUDIO,
  stop: isEmptyList,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: (value) => isObject(value) && Object.keys(value).length === 0,
}

/** Throws 400 with `param` for a field that cannot be sent. */
export function refuseUnsupportedFields(request: KnownChatRequest): void {
  refuseFields(request, FIELDS, 'The Responses API, through which this model is called,')
}
