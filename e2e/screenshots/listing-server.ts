// A server that lists models as providers do, because the tests have no network.
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ListingServer {
  /** The base URL to set for a provider. */
  baseUrlFor(provider: string): string
  close(): void
}

/** `lists` maps a provider to its model ids. Every response contains the list in all API formats. */
export async function startListingServer(
  lists: Readonly<Record<string, readonly string[]>>,
): Promise<ListingServer> {
  const server = createServer((request, response) => {
    const [, provider = ''] = (request.url ?? '').split('/')
    const ids = lists[provider] ?? []
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        object: 'list',
        data: ids.map((id) => ({ id, object: 'model', created: 1_780_000_000, owned_by: provider })),
        models: ids.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ['generateContent'] })),
        has_more: false,
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrlFor: (provider) => `http://127.0.0.1:${address.port}/${provider}`,
    close: () => server.close(),
  }
}
