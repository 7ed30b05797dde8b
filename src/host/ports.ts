import { createServer } from 'node:net'

const MAX_ATTEMPTS = 50

/** The first free loopback port above `taken`, or null when the next 50 are all in use. */
export async function freePortAfter(taken: number): Promise<number | null> {
  for (let port = taken + 1; port <= Math.min(taken + MAX_ATTEMPTS, 65535); port++) {
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port
  }
  return null
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    // A machine without IPv6 cannot bind ::1 at all; the port is still free.
    server.once('error', (error) => resolve('code' in error && error.code === 'EADDRNOTAVAIL'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
