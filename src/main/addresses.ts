// Owns the addresses of the window's door: which are ours, which are pages, and which are not for a window to show.

export const SCHEME = 'app'
export const ORIGIN = 'app://tollgate'
export const HOME = `${ORIGIN}/`
export const FAILURE_PATH = '/failed'

/** Whether a URL is one of ours: something that the door served, and the only pages that may ask for anything. */
export function isOurs(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === `${SCHEME}:` && new URL(url).host === 'tollgate'
}

export function isApi(pathname: string): boolean {
  return /^\/v1(beta)?\//.test(pathname) || pathname === '/healthz' || pathname === '/openapi.json'
}

/** Whether a page may lead the window there. What the API answers is no page, and only the app shows a failure. */
export function isPage(url: string): boolean {
  if (!isOurs(url)) return false
  const { pathname } = new URL(url)
  return !isApi(pathname) && pathname !== FAILURE_PATH
}
