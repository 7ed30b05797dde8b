// A new client format needs its own folder and an entry here.
import type { ClientCodec } from './client-codec.ts'
import { openaiChatClient } from './openai-chat/client/codec.ts'

/** How clients are served, by API format. */
export const clientCodecs = {
  'openai-chat': openaiChatClient,
} as const satisfies Record<string, ClientCodec>

export type ClientFormat = keyof typeof clientCodecs
