import { t } from 'ttag'
/** The views of the window in the order of its navigation. */
export const VIEWS = [
  { name: t`Overview`, href: '/' },
  { name: t`Requests`, href: '/requests' },
  { name: t`Sessions`, href: '/sessions' },
  { name: t`Usage`, href: '/usage' },
  { name: t`Keys`, href: '/keys' },
  { name: t`Providers`, href: '/providers' },
  { name: t`Models`, href: '/models' },
  { name: t`Playground`, href: '/playground' },
  { name: t`Connect`, href: '/connect' },
  { name: t`Estimator`, href: '/estimator' },
  { name: t`Activity`, href: '/activity' },
  { name: t`Settings`, href: '/settings' },
] as const

export type ViewHref = (typeof VIEWS)[number]['href']

/** The pages of the help, which is not in the navigation. */
export const HELP_PAGES = [
  { group: t`Start`, name: t`Get started`, href: '/help/start' },
  { group: t`Start`, name: t`Connecting tools`, href: '/help/connect' },
  { group: t`Start`, name: t`Troubleshooting`, href: '/help/faq' },
  { group: t`Start`, name: t`The command line`, href: '/help/cli' },
  { group: t`Costs and limits`, name: t`Caps and limits`, href: '/help/caps' },
  { group: t`Costs and limits`, name: t`How costs are computed`, href: '/help/money' },
  { group: t`Costs and limits`, name: t`Sessions and projects`, href: '/help/sessions' },
  { group: t`Costs and limits`, name: t`Plans of Claude Code and Codex`, href: '/help/plans' },
  { group: t`Costs and limits`, name: t`Caching`, href: '/help/caching' },
  { group: t`Costs and limits`, name: t`Runaway guard and pausing`, href: '/help/runaway-guard' },
  { group: t`Costs and limits`, name: t`Receipts`, href: '/help/receipts' },
  { group: t`Costs and limits`, name: t`Reconcile`, href: '/help/reconcile' },
  { group: t`Costs and limits`, name: t`Costs with other models`, href: '/help/reprice' },
  { group: t`Providers and API`, name: t`Cloud providers`, href: '/help/providers' },
  { group: t`Providers and API`, name: t`HTTP API`, href: '/help/api' },
  { group: t`Providers and API`, name: t`Webhooks`, href: '/help/webhooks' },
  { group: t`Providers and API`, name: t`Integrations`, href: '/help/integrations' },
  { group: t`Providers and API`, name: t`Your data with SQL`, href: '/help/data' },
  { group: t`Operation`, name: t`On a server`, href: '/help/server' },
  { group: t`Operation`, name: t`Behind a company's network`, href: '/help/network' },
  { group: t`Operation`, name: t`Teams and scaling`, href: '/help/scaling' },
  { group: t`Operation`, name: t`Updates`, href: '/help/updates' },
  { group: t`Operation`, name: t`Crashes and diagnostics`, href: '/help/diagnostics' },
  { group: t`Operation`, name: t`Security`, href: '/help/security' },
  { group: t`This app`, name: t`Keyboard shortcuts`, href: '/help/shortcuts' },
  { group: t`This app`, name: t`What’s new`, href: '/help/whats-new' },
  { group: t`This app`, name: t`Report a problem`, href: '/help/report' },
  { group: t`This app`, name: t`Licenses`, href: '/help/licenses' },
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
