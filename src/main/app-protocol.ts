// Owns the window's door: everything `app://tollgate/` answers. The API goes to the gateway in-process, as the owner;
// the rest is the built interface. Knows nothing of what the API does.
import { net, protocol } from 'electron'
import type { Gateway } from '../host/start.ts'
import { INTERFACE_HEADERS, readInterfaceFile } from '../host/static-ui.ts'
import { FAILURE_PATH, isApi, isOurs, SCHEME } from './addresses.ts'
import { failurePage } from './failure-page.ts'

/** Gives the scheme the rights of a web origin. Electron wants this before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ])
}

/** `interfaceDir`: the built files. In development `devServer`, the origin of Vite's server, has them instead. */
export function registerAppProtocol(
  gateway: Gateway,
  interfaceDir: string | null,
  devServer: string | null,
): void {
  protocol.handle(SCHEME, async (request) => {
    if (!isOurs(request.url)) return new Response('Not found', { status: 404 })
    const { pathname, search } = new URL(request.url)
    if (isApi(pathname)) return await gateway.fetchAsOwner(request)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response('Method not allowed', { status: 405, headers: { allow: 'GET, HEAD' } })
    }
    if (pathname === FAILURE_PATH) return html(failurePage(new URLSearchParams(search).get('reason') ?? ''))
    if (devServer) return await net.fetch(new URL(`${pathname}${search}`, devServer).href)
    const file = interfaceDir === null ? null : await readInterfaceFile(interfaceDir, pathname)
    if (file)
      return new Response(file.bytes, { headers: { ...INTERFACE_HEADERS, 'content-type': file.type } })
    if (pathname === '/') return html(failurePage('The interface was not built.'), 500)
    return new Response('Not found', { status: 404, headers: INTERFACE_HEADERS })
  })
}

function html(page: string, status = 200): Response {
  return new Response(page, {
    status,
    headers: { ...INTERFACE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  })
}
