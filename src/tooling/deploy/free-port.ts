import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port on 127.0.0.1 that was free a moment ago, for programs that take none of their own choice. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}
