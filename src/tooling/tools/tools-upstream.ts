// The provider of the tools' models: one server with a base URL for each API format.
import { expectOk, type TestClient } from '../../gateway/testing/gateway.ts'
import { startTestUpstream } from '../../gateway/upstream/testing/test-upstream.ts'
import type { Pricing } from '../../shared/api/models.ts'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import { CAPPED_PRICING, createAnswer, PRICING, readSituation, reply } from './scripted-model.ts'

/** Bedrock's Converse has streams in binary, and requests that are signed. */
export const TOOLS_FORMATS = API_FORMATS.filter((name) => name !== 'bedrock-converse')

const GENERATES = /\/chat\/completions$|\/responses$|\/messages(\?|$)|:(streamG|g)enerateContent(\?|$)/

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
    const format = TOOLS_FORMATS.find((name) => path.startsWith(`/${name}/`))
    if (method !== 'POST' || !format || !GENERATES.test(path))
      return exchange.reply(404, { error: { message: `There is no ${method} ${path}.` } })
    calls += 1
    const situation = readSituation(exchange.request)
    exchange.answer(format, createAnswer(format, reply(situation), situation))
  })
  for (const apiFormat of TOOLS_FORMATS) {
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
  await expectOk(tollgate.call('PUT', `/v1/models/${id}`, { body }))
}
