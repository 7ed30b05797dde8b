import { net, protocol } from 'electron'
import type { Host } from '../host/start.ts'
import { readUiFile, UI_HEADERS } from '../host/static-ui.ts'
import { FAILURE_PATH, isApi, isAppUrl, SCHEME } from './addresses.ts'
import { failurePage } from './failure-page.ts'

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
