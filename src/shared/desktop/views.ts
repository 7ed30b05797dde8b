import type { CapAlert } from '../api/events.ts'
import { isMain, MAIN_PERIOD } from '../api/terms.ts'

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
  { group: 'Start', name: 'Get started', href: '/help/start' },
  { group: 'Start', name: 'Connecting tools', href: '/help/connect' },
  { group: 'Start', name: 'Troubleshooting', href: '/help/faq' },
  { group: 'Start', name: 'The command line', href: '/help/cli' },
  { group: 'Costs and limits', name: 'Caps and limits', href: '/help/caps' },
  { group: 'Costs and limits', name: 'How costs are computed', href: '/help/money' },
  { group: 'Costs and limits', name: 'Sessions and projects', href: '/help/sessions' },
  { group: 'Costs and limits', name: 'Plans of Claude Code and Codex', href: '/help/plans' },
  { group: 'Costs and limits', name: 'Rules', href: '/help/rules' },
  { group: 'Costs and limits', name: 'Caching', href: '/help/caching' },
  { group: 'Costs and limits', name: 'Batches', href: '/help/batches' },
  { group: 'Costs and limits', name: 'Runaway guard and pausing', href: '/help/runaway-guard' },
  { group: 'Costs and limits', name: 'Receipts', href: '/help/receipts' },
  { group: 'Costs and limits', name: 'Reconcile', href: '/help/reconcile' },
  { group: 'Costs and limits', name: 'Costs with other models', href: '/help/reprice' },
  { group: 'Costs and limits', name: 'History of agents', href: '/help/history' },
  { group: 'Providers and API', name: 'Cloud providers', href: '/help/providers' },
  { group: 'Providers and API', name: 'HTTP API', href: '/help/api' },
  { group: 'Providers and API', name: 'Webhooks', href: '/help/webhooks' },
  { group: 'Providers and API', name: 'Integrations', href: '/help/integrations' },
  { group: 'Providers and API', name: 'Your data with SQL', href: '/help/data' },
  { group: 'Operation', name: 'On a server', href: '/help/server' },
  { group: 'Operation', name: "Behind a company's network", href: '/help/network' },
  { group: 'Operation', name: 'Teams and scaling', href: '/help/scaling' },
  { group: 'Operation', name: 'Updates', href: '/help/updates' },
  { group: 'Operation', name: 'Crashes and diagnostics', href: '/help/diagnostics' },
  { group: 'Operation', name: 'Security', href: '/help/security' },
  { group: 'This app', name: 'Keyboard shortcuts', href: '/help/shortcuts' },
  { group: 'This app', name: 'What’s new', href: '/help/whats-new' },
  { group: 'This app', name: 'Report a problem', href: '/help/report' },
  { group: 'This app', name: 'Licenses', href: '/help/licenses' },
] as const

export type HelpHref = (typeof HELP_PAGES)[number]['href']

/** Where a spend limit is edited: one of those of a key by its place in `spendLimits`, or those of the account. */
export type LimitHref = `/keys?cap=${string}` | '/settings#monthly-limit' | '/settings#further-limits'

/** `keyId`: null for a limit of the account. */
export function limitHref(keyId: string | null, limit: CapAlert['limit']): LimitHref {
  if (keyId !== null) return `/keys?cap=${keyId}&limit=${limit.index}`
  return isMain(limit, MAIN_PERIOD.account) ? '/settings#monthly-limit' : '/settings#further-limits'
}

/** Where a key is edited, or revoked once that is confirmed. */
export type KeyHref = `/keys?edit=${string}` | `/keys?revoke=${string}`

/** A request or a session in its list, or the receipt of a request. */
type RecordHref = `/requests/${string}` | `/receipts/${string}` | `/sessions/${string}`

/** Asks how to pause everything. */
export const PAUSE_HREF = '/?pause=everything'

/** The addresses that the menu, the tray, a notification or a link opens. */
export type AppHref = ViewHref | HelpHref | LimitHref | KeyHref | RecordHref | typeof PAUSE_HREF
