// A new client format needs its own folder and an entry here.
import { anthropicMessagesClient } from './anthropic-messages/client/codec.ts'
import type { ClientCodec } from './chat/client-codec.ts'
import { geminiClient } from './gemini-generate/client/codec.ts'
import { openaiChatClient } from './openai-chat/client/codec.ts'
import { mistralFimClient, openaiCompletionsClient } from './openai-chat/client/text-completions.ts'
import { openaiResponsesClient } from './openai-responses/client/codec.ts'

/** How clients are served, by API format. */
export const clientCodecs = {
  'anthropic-messages': anthropicMessagesClient,
  'gemini-generate': geminiClient,
  'mistral-fim': mistralFimClient,
  'openai-chat': openaiChatClient,
  'openai-completions': openaiCompletionsClient,
  'openai-responses': openaiResponsesClient,
} as const satisfies Record<string, ClientCodec>

export type ClientFormat = keyof typeof clientCodecs
