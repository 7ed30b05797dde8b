// A server that lists models as providers do, because the tests have no network.
import { startTestUpstream } from '../../src/gateway/upstream/testing/test-upstream.ts'

export interface ListingServer {
  /** The base URL to set for a provider. */
  baseUrlFor(provider: string): string
  close(): Promise<void>
}

/**
 * `lists` maps a provider to its model ids. A list contains them in all API formats. Other requests get the one of `answers`
 * whose path they end with.
 */
export async function startListingServer(
  lists: Readonly<Record<string, readonly string[]>>,
  answers: Readonly<Record<string, object>> = {},
): Promise<ListingServer> {
  const { url, close } = await startTestUpstream((exchange) => {
    const [path = ''] = exchange.request.path.split('?')
    const [, provider = ''] = path.split('/')
    const ids = lists[provider] ?? []
    const list = {
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created: 1_780_000_000, owned_by: provider })),
      models: ids.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ['generateContent'] })),
      has_more: false,
    }
    const found = Object.entries({ '/models': list, ...answers }).find(([end]) => path.endsWith(end))?.[1]
    exchange.reply(found ? 200 : 404, found ?? { error: { message: `${path} is not served.` } })
  })
  return { baseUrlFor: (provider) => `${url}/${provider}`, close }
}
