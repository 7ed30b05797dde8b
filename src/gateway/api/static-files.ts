// Owns the built interface as files: how a path becomes one and can become no other, and what their pages may load.
// The browser door and the window's door both serve by it.
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** What the interface may load: nothing that is not its own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Notices (sonner), menus and dialogs (Radix) put <style> elements into the page, some with sizes measured there.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const INTERFACE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const

export interface InterfaceFile {
  bytes: Uint8Array<ArrayBuffer>
  /** A Content-Type. */
  type: string
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '.css': 'text/css; charset=utf-8',
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
 * The file below `dir` that a URL's path names. A path without an extension is a view of the single-page app and gives
 * `index.html`. Null when there is no such file, or when the path names anything but plain segments below `dir`.
 */
export async function readInterfaceFile(dir: string, pathname: string): Promise<InterfaceFile | null> {
  const segments = plainSegments(pathname)
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

// Decoded once, then refused rather than resolved: a segment that means something to a file system is an attack.
function plainSegments(pathname: string): string[] | null {
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
