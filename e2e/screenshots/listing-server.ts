// Owns a server that lists models as providers do, so that a window without a network has as many as a user's would.
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ListingServer {
  /** What a provider's base URL is set to, to read this list. */
  baseUrlFor(provider: string): string
  close(): void
}

/** `lists`: provider to the ids of its models. Every answer has the list in the format of each wire at once. */
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
