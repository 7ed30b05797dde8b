// The provider of the tools' models: one server with a base URL for each API format.

import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import type { TestClient } from '../../../gateway/testing/gateway.ts'
import { startTestUpstream, type TestExchange } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { Pricing } from '../../../shared/api/models.ts'
import { API_FORMATS, type ApiFormat } from '../../../shared/api/providers.ts'
import { answerMessages, readMessagesRequest } from './anthropic-messages.ts'
import { answerGenerate, readGenerateRequest } from './gemini-generate.ts'
import { answerChat, readChatRequest } from './openai-chat.ts'
import { answerResponses, readResponsesRequest } from './openai-responses.ts'
import { CAPPED_PRICING, PRICING, type Reply, reply, type Situation } from './scripted-model.ts'

interface ScriptedFormat {
  /** The end of the path of its generation requests. */
  path: RegExp
  read(body: JsonObject, path: string): Situation
  answer(exchange: TestExchange, reply: Reply, situation: Situation): void
}

const formats: Partial<Record<ApiFormat, ScriptedFormat>> = {
  'openai-chat': { path: /\/chat\/completions$/, read: readChatRequest, answer: answerChat },
  'openai-responses': { path: /\/responses$/, read: readResponsesRequest, answer: answerResponses },
  'anthropic-messages': { path: /\/messages(\?|$)/, read: readMessagesRequest, answer: answerMessages },
  'gemini-generate': {
    path: /:(streamG|g)enerateContent(\?|$)/,
    read: readGenerateRequest,
    answer: answerGenerate,
  },
}

/** The formats that have a scripted provider. */
export const toolsFormats = API_FORMATS.filter((name) => formats[name] !== undefined)

export interface ToolsUpstream {
  /** The number of generation requests so far. */
  calls(): number
  close(): Promise<void>
}

/** Starts the server and adds a provider for each API format, named like it, and its model `agent-<format>`. */
export async function startToolsUpstream(tollgate: TestClient): Promise<ToolsUpstream> {
  let calls = 0
  const upstream = await startTestUpstream((exchange) => {
    const { method, path } = exchange.request
    const format = API_FORMATS.find((name) => path.startsWith(`/${name}/`))
    const scripted = format && formats[format]
    if (method !== 'POST' || !scripted?.path.test(path)) {
      exchange.reply(404, { error: { message: `There is no ${method} ${path}.` } })
      return
    }
    calls += 1
    const situation = scripted.read(exchange.request.json(), path)
    scripted.answer(exchange, reply(situation), situation)
  })
  for (const apiFormat of toolsFormats) {
    await tollgate.addProvider(apiFormat, `${upstream.url}/${apiFormat}/v1`, [], { apiFormat })
    await addToolsModel(tollgate, apiFormat, getModel(apiFormat))
  }
  await addToolsModel(tollgate, 'openai-chat', CAPPED_MODEL, CAPPED_PRICING)
  return { calls: () => calls, close: () => upstream.close() }
}

/** The name of the format's model. */
export const getModel = (apiFormat: ApiFormat) => `agent-${apiFormat}`

export const CAPPED_MODEL = 'agent-capped'

export async function addToolsModel(
  tollgate: TestClient,
  provider: ApiFormat,
  id: string,
  pricing: Pricing = PRICING,
): Promise<void> {
  const body = { provider, pricing, maxOutputTokens: 4096 }
  const put = await tollgate.call('PUT', `/v1/models/${id}`, { body })
  if (put.status !== 200) throw new Error(`the model was refused: ${put.text}`)
}
