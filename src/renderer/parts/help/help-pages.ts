import changelog from '../../../../CHANGELOG.md?raw'
import api from '../../../../docs/api.md?raw'
import batches from '../../../../docs/batches.md?raw'
import caching from '../../../../docs/caching.md?raw'
import caps from '../../../../docs/caps.md?raw'
import cli from '../../../../docs/cli.md?raw'
import connect from '../../../../docs/connect.md?raw'
import data from '../../../../docs/data.md?raw'
import diagnostics from '../../../../docs/diagnostics.md?raw'
import faq from '../../../../docs/faq.md?raw'
import history from '../../../../docs/history.md?raw'
import integrations from '../../../../docs/integrations.md?raw'
import money from '../../../../docs/money.md?raw'
import network from '../../../../docs/network.md?raw'
import plans from '../../../../docs/plans.md?raw'
import providers from '../../../../docs/providers.md?raw'
import receipts from '../../../../docs/receipts.md?raw'
import reconcile from '../../../../docs/reconcile.md?raw'
import reprice from '../../../../docs/reprice.md?raw'
import rules from '../../../../docs/rules.md?raw'
import runawayGuard from '../../../../docs/runaway-guard.md?raw'
import scaling from '../../../../docs/scaling.md?raw'
import security from '../../../../docs/security.md?raw'
import server from '../../../../docs/server.md?raw'
import sessions from '../../../../docs/sessions.md?raw'
import start from '../../../../docs/start.md?raw'
import updates from '../../../../docs/updates.md?raw'
import webhooks from '../../../../docs/webhooks.md?raw'
import type { HelpHref } from '../../../shared/desktop/views.ts'

/** The pages that are documents of the repository, so that there is one text of each. */
export const helpTexts: Partial<Record<HelpHref, string>> = {
  '/help/start': start,
  '/help/connect': connect,
  '/help/cli': cli,
  '/help/server': server,
  '/help/network': network,
  '/help/money': money,
  '/help/caps': caps,
  '/help/reprice': reprice,
  '/help/history': history,
  '/help/sessions': sessions,
  '/help/plans': plans,
  '/help/rules': rules,
  '/help/caching': caching,
  '/help/runaway-guard': runawayGuard,
  '/help/webhooks': webhooks,
  '/help/providers': providers,
  '/help/receipts': receipts,
  '/help/integrations': integrations,
  '/help/batches': batches,
  '/help/reconcile': reconcile,
  '/help/updates': updates,
  '/help/diagnostics': diagnostics,
  '/help/data': data,
  '/help/scaling': scaling,
  '/help/api': api,
  '/help/faq': faq,
  '/help/security': security,
  '/help/whats-new': changelog,
}

/** The page that a link between documents leads to, with its heading; null if the help does not have it. */
export function toHelpLink(link: string): string | null {
  const [, name, hash = ''] = /^(?:\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(link) ?? []
  if (link.startsWith('#')) return link
  const href = Object.keys(helpTexts).find((page) => page === `/help/${name}`)
  return href === undefined ? null : `${href}${hash}`
}

/** The id of a heading, as GitHub makes it. */
export function toHeadingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .replaceAll(/\s/g, '-')
}
