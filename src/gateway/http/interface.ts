// Owns the browser door: the built interface at `/`, for a browser on the same machine. Knows nothing of what it shows.
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import type { FastifyInstance } from 'fastify'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

/** What the interface may load: nothing that is not its own. The window's door sends the same. */
export const INTERFACE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface InterfaceFile {
  contentType: string
  body: Buffer
}

/**
 * The file of a built interface that a path names; a path without an extension is a view and gets the page itself.
 * Null when there is no such file, or the path leaves the folder.
 */
export async function interfaceFile(dir: string, path: string): Promise<InterfaceFile | null> {
  let name: string
  try {
    name = decodeURIComponent(path)
  } catch {
    return null
  }
  const relative = extname(name) === '' ? 'index.html' : normalize(name).replace(/^[/\\]+/, '')
  if (relative.startsWith('..') || relative.includes('\0') || relative.split(sep).includes('..')) return null
  const contentType = CONTENT_TYPES[extname(relative)]
  if (contentType === undefined) return null
  const body = await readFile(join(dir, relative)).catch(() => null)
  return body && { contentType, body }
}

export function installInterface(app: FastifyInstance, dir: string | null): void {
  if (dir === null) return
  app.get('/*', async (request, reply) => {
    const path = (request.raw.url ?? '/').split('?', 1)[0] ?? '/'
    // Browsers ask for a view as HTML. To any other client, a path that is no file is an unknown endpoint.
    const isPage = path === '/' || (request.headers.accept ?? '').includes('text/html')
    const isServed = !/^\/v1(\/|$)/.test(path) && (isPage || extname(path) !== '')
    const file = isServed ? await interfaceFile(dir, path) : null
    if (!file) return reply.callNotFound()
    return reply
      .header('content-type', file.contentType)
      .header('content-security-policy', INTERFACE_CSP)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(file.body)
  })
}
