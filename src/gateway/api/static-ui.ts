// Owns the browser door: the built interface at `/`, for a browser on the same machine. Knows nothing of what it shows.
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { INTERFACE_HEADERS, readInterfaceFile } from './static-files.ts'

export function installInterface(app: FastifyInstance, dir: string | null): void {
  if (dir === null) return
  app.get('/*', async (request, reply) => {
    const path = (request.raw.url ?? '/').split('?', 1)[0] ?? '/'
    // Browsers ask for a view as HTML. To any other client, a path that is no file is an unknown endpoint.
    const isPage = path === '/' || (request.headers.accept ?? '').includes('text/html')
    const isServed = !/^\/v1(\/|$)/.test(path) && (isPage || extname(path) !== '')
    const file = isServed ? await readInterfaceFile(dir, path) : null
    if (!file) return reply.callNotFound()
    return reply.headers({ ...INTERFACE_HEADERS, 'content-type': file.type }).send(Buffer.from(file.bytes))
  })
}
