import type { ChatRequest } from '../../../../shared/chat.ts'
import type { ClientCodec } from '../../chat/client-codec.ts'
import { withoutSignedReasoning } from '../../chat/reasoning.ts'
import { isObject } from '../../json/json.ts'
import { ChatStreamWriter } from './stream-writer.ts'

export const openaiChatClient: ClientCodec<ChatRequest> = {
  decodeRequest: (body) => ({ request: body, untranslatable: null, externalContent: false }),
  answerBody: ({ choices, ...completion }, usage, { requestId, model }) => ({
    ...completion,
    id: requestId,
    model,
    choices: choices.map((choice) => ({ ...choice, message: withoutSignedReasoning(choice.message) })),
    usage,
  }),
  streamWriter: (context) => {
    const options = context.body.stream_options
    return new ChatStreamWriter(context, isObject(options) && options.include_usage === true)
  },
  errorBody: (error) => ({ error }),
}
