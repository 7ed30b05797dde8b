import type { ResponseRequest } from '../../../../shared/responses.ts'
import type { ClientCodec } from '../../chat/client-codec.ts'
import { isObject, type JsonObject, parseJson } from '../../json/json.ts'
import { answerBody } from './answer.ts'
import { errorBody } from './errors.ts'
import { decodeRequest } from './request.ts'
import { ResponseStreamWriter } from './stream-writer.ts'

type Remember = (items: readonly JsonObject[]) => void

/** `remember` is called with the items of each answer, as the next request needs them. */
export function createResponsesClient(remember: Remember): ClientCodec<ResponseRequest> {
  return {
    decodeRequest,
    answerBody(completion, usage, context) {
      const { response, output } = answerBody(completion, usage, context)
      remember(output.wholeItems)
      return response
    },
    streamWriter: (context) => new ResponseStreamWriter(context, remember),
    observeNative(json) {
      const { output } = Object(parseJson(json))
      if (Array.isArray(output)) remember(output.filter(isObject))
    },
    errorBody,
  }
}

export const openaiResponsesClient = createResponsesClient(() => undefined)
