// A server that lists models as providers do, because the tests have no network.
import { startTestUpstream } from '../../src/gateway/upstream/testing/test-upstream.ts'

export interface ListingServer {
  /** The base URL to set for a provider. */
  baseUrlFor(provider: string): string
  close(): Promise<void>
}

/** `lists` maps a provider to its model ids. Every response contains the list in all API formats. */
export async function startListingServer(
  lists: Readonly<Record<string, readonly string[]>>,
): Promise<ListingServer> {
  const { url, close } = await startTestUpstream((exchange) => {
    const [, provider = ''] = exchange.request.path.split('/')
    const ids = lists[provider] ?? []
    exchange.reply(200, {
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created: 1_780_000_000, owned_by: provider })),
      models: ids.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ['generateContent'] })),
      has_more: false,
    })
  })
  return { baseUrlFor: (provider) => `${url}/${provider}`, close }
}
