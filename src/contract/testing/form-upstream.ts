import type { TestClient } from '../../gateway/testing/gateway.ts'
import {
  type RecordedRequest,
  startTestUpstream,
  type TestExchange,
} from '../../gateway/upstream/testing/test-upstream.ts'

type FormHandler = (call: {
  exchange: TestExchange
  sent: readonly RecordedRequest[]
}) => void | Promise<void>

/** A provider that reads forms, with one handler for all of its models. */
export async function startFormUpstream(tollgate: TestClient, provider: string, handler: FormHandler) {
  const sent: RecordedRequest[] = []
  const server = await startTestUpstream(async (exchange) => {
    if (exchange.request.method === 'GET') return exchange.reply(200, { object: 'list', data: [] })
    sent.push(exchange.request)
    await handler({ exchange, sent })
  })
  const credential = `canary-credential-${provider}`
  await tollgate.call('PUT', `/v1/providers/${provider}`, {
    body: { apiFormat: 'openai-chat', baseUrl: server.url, credential },
  })
  return {
    sent,
    model: (id: string, pricing: object, upstreamModel = id) =>
      tollgate.call('PUT', `/v1/models/${id}`, { body: { provider, upstreamModel, pricing } }),
    close: () => server.close(),
  }
}
