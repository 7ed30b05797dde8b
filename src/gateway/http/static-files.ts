// The files of the built interface, for the headless server and for the app protocol.
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** The interface may only load its own files. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Toasts (sonner), menus and dialogs (Radix) add <style> elements, some with measured sizes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const UI_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const

export interface UiFile {
  bytes: Uint8Array<ArrayBuffer>
  /** The Content-Type. */
  type: string
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '.css': 'text/css; charset=utf-8',
    '.gz': 'application/gzip',
    '.html': 'text/html; charset=utf-8',
    '.ico': 'image/x-icon',
    '.js': 'text/javascript; charset=utf-8',
    '.json': 'application/json',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain; charset=utf-8',
    '.wasm': 'application/wasm',
    '.webp': 'image/webp',
    '.woff2': 'font/woff2',
  }),
)

/**
 * The file below `dir` for the path of a URL. A path without an extension is a view of the single-page app and returns
 * `index.html`. Null when there is no such file, or when the path has segments with a special meaning.
 */
export async function readUiFile(dir: string, pathname: string): Promise<UiFile | null> {
  const segments = parseSegments(pathname)
  if (segments === null) return null
  const extension = extname(segments.at(-1) ?? '')
  const file = extension === '' ? ['index.html'] : segments
  const type = TYPES.get(extension === '' ? '.html' : extension)
  if (type === undefined) return null
  try {
    return { bytes: new Uint8Array(await readFile(join(dir, ...file))), type }
  } catch {
    return null
  }
}

// Segments are decoded once and then rejected rather than resolved, to prevent path traversal.
function parseSegments(pathname: string): string[] | null {
  try {
    const segments = pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent)
    return segments.every((segment) => /^[\w@~+ -][\w.@~+ -]*$/.test(segment)) ? segments : null
  } catch {
    return null
  }
}
