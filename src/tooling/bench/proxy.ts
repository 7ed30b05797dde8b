// The baseline: a bare pass-through proxy with the same HTTP libraries and none of the work of a gateway.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const upstream = new Pool(process.argv[2] ?? '', { connections: null })

const server = createServer((request, response) => {
  upstream
    .stream(
      {
        path: request.url ?? '/',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: request,
        opaque: response,
      },
      ({ statusCode, headers }) => response.writeHead(statusCode, headers),
    )
    .catch(() => response.destroy())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`)
})
