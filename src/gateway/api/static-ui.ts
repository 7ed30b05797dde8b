import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { isContainerRequest } from './container-requests.ts'
import { readUiFile, UI_HEADERS } from './static-files.ts'

/** Serves the built interface at `/` for browsers on this machine; nothing when `dir` is null. */
export function registerStaticUi(app: FastifyInstance, dir: string | null): void {
  if (dir === null) return
  app.get('/*', async (request, reply) => {
    if (isContainerRequest(request.raw)) return reply.callNotFound()
    const path = (request.raw.url ?? '/').split('?', 1)[0] ?? '/'
    // Browsers request a view as HTML. For any other client, a path that is not a file is an unknown endpoint.
    const isPage = path === '/' || (request.headers.accept ?? '').includes('text/html')
    const isServed = !/^\/v1(\/|$)/.test(path) && (isPage || extname(path) !== '')
    const file = isServed ? await readUiFile(dir, path) : null
    if (!file) return reply.callNotFound()
    return reply.headers({ ...UI_HEADERS, 'content-type': file.type }).send(Buffer.from(file.bytes))
  })
}
