// The URLs of the app's own scheme.

export const SCHEME = 'app'
export const ORIGIN = 'app://tollgate'
export const HOME = `${ORIGIN}/`
export const FAILURE_PATH = '/failed'
export const METER_PATH = '/meter'

/** Whether the app itself serves this URL. Only such pages may use IPC and permissions. */
export function isAppUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === `${SCHEME}:` && new URL(url).host === 'tollgate'
}

export function isApi(pathname: string): boolean {
  return /^\/v1(beta)?\//.test(pathname) || pathname === '/healthz' || pathname === '/openapi.json'
}

/** Whether a page may navigate the window to this URL: not to API responses, and not to the failure page. */
export function isAppPage(url: string): boolean {
  if (!isAppUrl(url)) return false
  const { pathname } = new URL(url)
  return !isApi(pathname) && pathname !== FAILURE_PATH
}
