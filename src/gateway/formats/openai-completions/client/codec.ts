// Serves clients of OpenAI's older completions, and of Mistral's endpoint that fills in the middle.
import type { TextCompletionRequest } from '../../../../shared/text-completion.ts'
import type { ClientCodec } from '../../chat/client-codec.ts'
import { openaiChatClient } from '../../openai-chat/client/codec.ts'
import { decodeTextCompletion } from './decode-request.ts'
import { TextStreamWriter, toTextChoice } from './stream-writer.ts'

export const openaiCompletionsClient: ClientCodec<TextCompletionRequest> = {
  decodeRequest: (body) => decodeTextCompletion(body),
  answerBody: ({ choices, ...completion }, usage, { requestId, model }) => ({
    ...completion,
    id: requestId,
    object: 'text_completion',
    model,
    choices: choices.map(toTextChoice),
    usage,
  }),
  streamWriter: (context) => new TextStreamWriter(context),
  errorBody: (error) => ({ error }),
}

/** Mistral's answers are chat completions, and it has no default for the output limit. Its streams always report usage. */
export const mistralFimClient: ClientCodec<TextCompletionRequest> = {
  ...openaiChatClient,
  decodeRequest: (body) => decodeTextCompletion(body, null),
  streamWriter: (context) =>
    openaiChatClient.streamWriter({
      ...context,
      body: { ...context.body, stream_options: { include_usage: true } },
    }),
}
