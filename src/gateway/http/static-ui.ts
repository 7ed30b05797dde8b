import { extname } from 'node:path'
import { isContainerRequest } from './container-requests.ts'
import type { Exchange } from './request-context.ts'
import type { CompleteResponse } from './send-response.ts'
import { readUiFile, UI_HEADERS } from './static-files.ts'

/** The file of the built interface in `dir` for a browser on this machine; null if there is none at this path. */
export async function findUiResponse(exchange: Exchange, dir: string): Promise<CompleteResponse | null> {
  if (isContainerRequest(exchange)) return null
  const { request, path } = exchange
  // Browsers request a view as HTML. For any other client, a path that is not a file is an unknown endpoint.
  const isPage = path === '/' || (request.headers.accept ?? '').includes('text/html')
  const isServed = !/^\/v1(\/|$)/.test(path) && (isPage || extname(path) !== '')
  const file = isServed ? await readUiFile(dir, path) : null
  if (!file) return null
  return { status: 200, headers: { ...UI_HEADERS, 'content-type': file.type }, body: Buffer.from(file.bytes) }
}
