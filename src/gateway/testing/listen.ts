import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Has a server listen at a free port of 127.0.0.1. Returns the port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** A port of 127.0.0.1 that was free a moment ago, for programs that choose none of their own. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await once(server.close(), 'close')
  return port
}
