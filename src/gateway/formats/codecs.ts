// The codecs of providers and of clients. A new API format needs its own folder and an entry here; so does a cloud that serves
// formats in its own way.
import type { ClientFormat } from '../../shared/api/operations/operation.ts'
import type { ApiFormat, ProviderFormat } from '../../shared/api/providers.ts'
import { anthropicMessagesClient } from './anthropic-messages/client/codec.ts'
import { anthropicMessages } from './anthropic-messages/codec.ts'
import { bedrockConverse } from './bedrock-converse/codec.ts'
import type { ClientCodec, Endpoint, FormatCodec, Hosting } from './chat/codec-types.ts'
import { UpstreamFailure } from './chat/failure.ts'
import { geminiClient } from './gemini-generate/client/codec.ts'
import { geminiGenerate } from './gemini-generate/codec.ts'
import { bedrockClaude, hostOnAzure, hostOnBedrock, vertexClaude, vertexGemini } from './hosted/clouds.ts'
import { mistralFimClient, openaiChatClient, openaiCompletionsClient } from './openai-chat/client/codec.ts'
import { openaiChat } from './openai-chat/codec.ts'
import { openaiResponsesClient } from './openai-responses/client/codec.ts'
import { openaiResponses } from './openai-responses/codec.ts'

const codecs: Readonly<Record<ApiFormat, FormatCodec>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
  'bedrock-converse': bedrockConverse,
}
/** The formats that a cloud serves in its own way; all others as their vendors define them. */
const hostedCodecs: Readonly<Record<Hosting, Partial<Record<ProviderFormat, FormatCodec>>>> = {
  azure: { 'openai-chat': hostOnAzure(openaiChat), 'openai-responses': hostOnAzure(openaiResponses) },
  bedrock: {
    'anthropic-messages': bedrockClaude,
    'openai-chat': hostOnBedrock(openaiChat),
    'openai-responses': hostOnBedrock(openaiResponses),
    'bedrock-converse': bedrockConverse,
  },
  vertex: { 'gemini-generate': vertexGemini, 'anthropic-messages': vertexClaude },
}
const byName = new Map<string, FormatCodec>(Object.entries(codecs))

/** Throws UpstreamFailure for a format that only a later version supports; the database may name one after a downgrade. */
export function getCodec(name: ProviderFormat): FormatCodec {
  const codec = byName.get(name)
  if (codec) return codec
  throw new UpstreamFailure({
    kind: 'status',
    sent: false,
    code: 'api_format_unsupported',
    message: `The API format "${name}" is not supported.`,
  })
}

/** The codec for an endpoint's format as its cloud serves it. Throws as `codecOf` does. */
export function codecFor({ apiFormat, hosting }: Pick<Endpoint, 'apiFormat' | 'hosting'>): FormatCodec {
  const hosted = hosting === null ? undefined : hostedCodecs[hosting][apiFormat]
  return hosted ?? getCodec(apiFormat)
}

export const clientCodecs = {
  'anthropic-messages': anthropicMessagesClient,
  'gemini-generate': geminiClient,
  'mistral-fim': mistralFimClient,
  'openai-chat': openaiChatClient,
  'openai-completions': openaiCompletionsClient,
  'openai-responses': openaiResponsesClient,
} as const satisfies Record<ClientFormat, ClientCodec>
