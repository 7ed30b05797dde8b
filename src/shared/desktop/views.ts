/** The views of the window in the order of its navigation. */
export const VIEWS = [
  { name: 'Overview', href: '/' },
  { name: 'Requests', href: '/requests' },
  { name: 'Sessions', href: '/sessions' },
  { name: 'Usage', href: '/usage' },
  { name: 'Keys', href: '/keys' },
  { name: 'Providers', href: '/providers' },
  { name: 'Models', href: '/models' },
  { name: 'Playground', href: '/playground' },
  { name: 'Connect', href: '/connect' },
  { name: 'Estimator', href: '/estimator' },
  { name: 'Activity', href: '/activity' },
  { name: 'Settings', href: '/settings' },
] as const

export type ViewHref = (typeof VIEWS)[number]['href']

/** The pages of the help, which is not in the navigation. */
export const HELP_PAGES = [
  { name: 'Get started', href: '/help/start' },
  { name: 'Connecting tools', href: '/help/connect' },
  { name: 'Troubleshooting', href: '/help/faq' },
  { name: 'The command line', href: '/help/cli' },
  { name: 'Caps and limits', href: '/help/caps' },
  { name: 'How costs are computed', href: '/help/money' },
  { name: 'Sessions and projects', href: '/help/sessions' },
  { name: 'Runaway guard and pausing', href: '/help/runaway-guard' },
  { name: 'Receipts', href: '/help/receipts' },
  { name: 'Reconcile', href: '/help/reconcile' },
  { name: 'Costs with other models', href: '/help/reprice' },
  { name: 'Cloud providers', href: '/help/providers' },
  { name: 'HTTP API', href: '/help/api' },
  { name: 'Webhooks', href: '/help/webhooks' },
  { name: 'Integrations', href: '/help/integrations' },
  { name: 'Your data with SQL', href: '/help/data' },
  { name: 'On a server', href: '/help/server' },
  { name: "Behind a company's network", href: '/help/network' },
  { name: 'Teams and scaling', href: '/help/scaling' },
  { name: 'Updates', href: '/help/updates' },
  { name: 'Crashes and diagnostics', href: '/help/diagnostics' },
  { name: 'Security', href: '/help/security' },
  { name: 'Keyboard shortcuts', href: '/help/shortcuts' },
  { name: 'What’s new', href: '/help/whats-new' },
  { name: 'Report a problem', href: '/help/report' },
  { name: 'Licenses', href: '/help/licenses' },
] as const

export type HelpHref = (typeof HELP_PAGES)[number]['href']

/** Where a spend limit is edited: the cap of a key or, with `&limit=0`, one of its further limits; or those of the account. */
export type LimitHref = `/keys?cap=${string}` | '/settings#monthly-limit' | '/settings#further-limits'

/** `index`: the place of a limit in `spendLimits`; null for the cap of the key, or the monthly limit. */
export function limitHref(keyId: string | null, index: number | null): LimitHref {
  if (keyId === null) return index === null ? '/settings#monthly-limit' : '/settings#further-limits'
  return index === null ? `/keys?cap=${keyId}` : `/keys?cap=${keyId}&limit=${index}`
}

/** Where a key is edited, or revoked once that is confirmed. */
export type KeyHref = `/keys?edit=${string}` | `/keys?revoke=${string}`

/** A request or a session in its list, or the receipt of a request. */
type RecordHref = `/requests/${string}` | `/receipts/${string}` | `/sessions/${string}`

/** Asks how to pause everything. */
export const PAUSE_HREF = '/?pause=everything'

/** The addresses that the menu, the tray, a notification or a link opens. */
export type AppHref = ViewHref | HelpHref | LimitHref | KeyHref | RecordHref | typeof PAUSE_HREF
