import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { formatCount, formatUsd } from '../../kit/format.ts'
import { quoteName } from '../../kit/quote-name.ts'

const MAX_NAMES = 3

export interface SpentSince {
  requests: number
  costUsd: number
}

const KEPT = 'The current data is saved in the data folder.'

/** The effects of restoring an imported backup: it may be of another computer. */
export const IMPORTED_RESTORE: readonly string[] = [
  'All keys, spend, requests, settings and providers are replaced by those in the file.',
  'Keys that are not in the file stop working.',
  'Provider credentials are not in the file. If it comes from another computer, enter them again.',
  KEPT,
]

/** The effects of restoring a backup, one sentence each, the most important first. `spent` is null while it is unknown. */
export function describeRestore(
  madeAt: string,
  spent: SpentSince | null,
  keys: readonly KeyMetadata[],
): string[] {
  const created = keys.filter((key) => key.createdAt > madeAt && key.revokedAt === null)
  const revoked = keys.filter(
    (key) => key.createdAt <= madeAt && key.revokedAt !== null && key.revokedAt > madeAt,
  )
  return [
    describeSpend(spent),
    created.length > 0
      ? `${listNames(created)}, created since, ${created.length === 1 ? 'stops' : 'stop'} working.`
      : 'No keys were created since.',
    ...(revoked.length > 0
      ? [`${listNames(revoked)}, revoked since, ${revoked.length === 1 ? 'works' : 'work'} again.`]
      : []),
    'Caps, limits, settings and providers go back to what they were then.',
    'Provider credentials stay as they are now: a backup has none.',
    KEPT,
  ]
}

function describeSpend(spent: SpentSince | null): string {
  if (spent === null) return 'Spend since then is no longer counted, so caps allow it to be spent again.'
  if (spent.requests === 0) return 'No spend since this backup.'
  const requests = `${formatCount(spent.requests)} ${spent.requests === 1 ? 'request' : 'requests'}`
  return `${formatUsd(spent.costUsd)} spent since then by ${requests} is no longer counted, so caps allow it to be spent again.`
}

function listNames(keys: readonly KeyMetadata[]): string {
  const named = keys.slice(0, MAX_NAMES).map(({ name }) => quoteName(name))
  const others = keys.length - named.length
  return `${keys.length === 1 ? 'The key' : 'The keys'} ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
