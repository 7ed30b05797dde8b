// Owns the table of the API formats that exist. A new one is one file, one folder of fixtures and one entry here.
import type { ApiFormat } from '../../shared/providers.ts'
import { anthropicMessages } from './anthropic-messages/codec.ts'
import type { FormatCodec } from './codec.ts'
import { geminiGenerate } from './gemini-generate/codec.ts'
import { openaiChat } from './openai-chat/codec.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const codecs: Readonly<Record<ApiFormat, FormatCodec>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
}
const byName = new Map<string, FormatCodec>(Object.entries(codecs))

/** The API format of that name. Throws an UpstreamFailure that names one which a later version left in the database. */
export function codecOf(name: ApiFormat): FormatCodec {
  const codec = byName.get(name)
  if (codec) return codec
  throw new UpstreamFailure({
    kind: 'status',
    sent: false,
    code: 'api_format_unsupported',
    message: `The API format "${name}" is not supported.`,
  })
}
