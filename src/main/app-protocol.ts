import { net, protocol } from 'electron'
import { type Host, readUiFile, UI_HEADERS } from '../host/start.ts'
import { FAILURE_PATH, isApi, isAppUrl, SCHEME } from './addresses.ts'

/** Gives the scheme the privileges of a web origin. Must be called before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: SCHEME,
      // `codeCache`: the window's scripts are compiled once, and not at every start.
      privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true },
    },
  ])
}

/**
 * Serves `app://tollgate/`: the API in-process as the owner, once the gateway has started, and the interface from
 * `interfaceDir`, or in development from `devServer`, the origin of Vite's server.
 */
export function registerAppProtocol(
  starting: Promise<Host>,
  interfaceDir: string | null,
  devServer: string | null,
): void {
  protocol.handle(SCHEME, async (request) => {
    if (!isAppUrl(request.url)) return new Response('Not found', { status: 404 })
    const { pathname, search } = new URL(request.url)
    if (isApi(pathname)) return await (await starting).gateway.fetchAsOwner(request)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response('Method not allowed', { status: 405, headers: { allow: 'GET, HEAD' } })
    }
    if (pathname === FAILURE_PATH) return html(failurePage(new URLSearchParams(search).get('reason') ?? ''))
    if (devServer) return await net.fetch(new URL(`${pathname}${search}`, devServer).href)
    const file = interfaceDir === null ? null : await readUiFile(interfaceDir, pathname)
    if (file) return new Response(file.bytes, { headers: { ...UI_HEADERS, 'content-type': file.type } })
    if (pathname === '/') return html(failurePage('The interface was not built.'), 500)
    return new Response('Not found', { status: 404, headers: UI_HEADERS })
  })
}

function html(page: string, status = 200): Response {
  return new Response(page, {
    status,
    headers: { ...UI_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  })
}

/** The page shown when the interface cannot be loaded. It needs neither scripts nor other files. */
function failurePage(reason: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Tollgate</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 2rem; }
  h1 { font-size: 1.25rem; }
  a { color: light-dark(#3a4fd0, #9fb0ff); }
</style>
<h1>The window stopped working</h1>
<p>${escapeHtml(reason)}</p>
<p>The gateway is not affected: it continues to serve requests and to record their cost.</p>
<p><a href="/">Reload the window</a></p>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
