// The baseline: a bare pass-through proxy with the same HTTP libraries and none of the work of a gateway.
import { createServer } from 'node:http'
import { Pool } from 'undici'
import { z } from 'zod'

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

const Address = z.object({ port: z.number() })
server.keepAliveTimeout = 60_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () => {
  process.stdout.write(`${JSON.stringify({ port: Address.parse(server.address()).port })}\n`)
})
