import { type AppHref, HELP_PAGES, VIEWS } from './views.ts'

/** The scheme of links that open the desktop app. */
export const LINK_SCHEME = 'tollgate'

const hrefs: ReadonlySet<string> = new Set([...VIEWS, ...HELP_PAGES].map(({ href }) => href))

/** The targets of a link besides a view: the kind, the form of its id, and where it opens. */
const THINGS = [
  { kind: 'requests', id: /^req_[0-9a-f]{32}$/, href: (id: string): AppHref => `/requests/${id}` },
  { kind: 'receipts', id: /^req_[0-9a-f]{32}$/, href: (id: string): AppHref => `/receipts/${id}` },
  { kind: 'sessions', id: /^ses_[0-9a-f]{32}$/, href: (id: string): AppHref => `/sessions/${id}` },
  { kind: 'keys', id: /^key_[0-9a-f]{24}$/, href: (id: string): AppHref => `/keys?edit=${id}` },
] as const

export type LinkedKind = (typeof THINGS)[number]['kind']

export function linkTo(kind: LinkedKind, id: string): string {
  return `${LINK_SCHEME}://${kind}/${id}`
}

/**
 * Where a link opens; null for everything that is not exactly a link to a view, a request, a receipt, a session or a key. Any
 * page and program can open a link, so it only shows something and changes nothing, and it is not decoded: it has no queries,
 * fragments and escapes.
 */
export function readLink(link: string): AppHref | null {
  const path = /^tollgate:\/\/([a-z0-9_/-]{0,60})$/.exec(link)?.[1]?.replace(/\/$/, '')
  if (path === undefined) return null
  const [kind, id, ...rest] = path.split('/')
  const thing = THINGS.find((each) => each.kind === kind)
  if (thing && id !== undefined && rest.length === 0 && thing.id.test(id)) return thing.href(id)
  const href = `/${path}`
  return isView(href) ? href : null
}

function isView(href: string): href is AppHref {
  return hrefs.has(href)
}

/** The first link in the arguments of a program; null if none is there. */
export function findLink(args: readonly string[]): string | null {
  return args.find((arg) => arg.startsWith(`${LINK_SCHEME}:`)) ?? null
}
