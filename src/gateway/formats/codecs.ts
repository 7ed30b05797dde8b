// A new API format needs its own folder and an entry here.
import type { ApiFormat, ProviderFormat } from '../../shared/providers.ts'
import { anthropicMessages } from './anthropic-messages/codec.ts'
import type { FormatCodec } from './codec.ts'
import { geminiGenerate } from './gemini-generate/codec.ts'
import { openaiChat } from './openai-chat/codec.ts'
import { openaiResponses } from './openai-responses/codec.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const codecs: Readonly<Record<ApiFormat, FormatCodec>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
}
const byName = new Map<string, FormatCodec>(Object.entries(codecs))

/** Throws UpstreamFailure for a format that only a later version supports; the database may name one after a downgrade. */
export function codecOf(name: ProviderFormat): FormatCodec {
  const codec = byName.get(name)
  if (codec) return codec
  throw new UpstreamFailure({
    kind: 'status',
    sent: false,
    code: 'api_format_unsupported',
    message: `The API format "${name}" is not supported.`,
  })
}
