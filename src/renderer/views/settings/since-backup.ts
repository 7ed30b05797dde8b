// Owns what is undone when a backup takes the database's place, in words. Pure.
import type { KeyMetadata } from '../../../shared/keys.ts'
import { formatCount, formatUsd } from '../../format.ts'

const MOST_NAMED = 3

export interface SpentSince {
  requests: number
  costUsd: number
}

/** One sentence each, the weightiest first. `spent` is null while it is not known. */
export function undoneWords(
  madeAt: string,
  spent: SpentSince | null,
  keys: readonly KeyMetadata[],
): string[] {
  const made = keys.filter((key) => key.createdAt > madeAt && key.revokedAt === null)
  const revoked = keys.filter(
    (key) => key.createdAt <= madeAt && key.revokedAt !== null && key.revokedAt > madeAt,
  )
  return [
    spendWords(spent),
    made.length > 0
      ? `${names(made)}, made since, ${made.length === 1 ? 'stops' : 'stop'} working.`
      : 'Keys made since stop working; there are none.',
    ...(revoked.length > 0
      ? [`${names(revoked)}, revoked since, ${revoked.length === 1 ? 'works' : 'work'} again.`]
      : []),
    'Caps, limits, settings and providers are those of that moment.',
    'Credentials of providers stay as they are now: a backup has none.',
    'The present data is kept aside, in the data folder.',
  ]
}

function spendWords(spent: SpentSince | null): string {
  if (spent === null) return 'What was spent since is no longer counted, so caps would let it be spent again.'
  if (spent.requests === 0) return 'Nothing was spent since.'
  const requests = `${formatCount(spent.requests)} ${spent.requests === 1 ? 'request' : 'requests'}`
  return `${formatUsd(spent.costUsd)} spent since, by ${requests}, is no longer counted, so caps would let it be spent again.`
}

function names(keys: readonly KeyMetadata[]): string {
  const named = keys.slice(0, MOST_NAMED).map(({ name }) => `“${name}”`)
  const others = keys.length - named.length
  return `${keys.length === 1 ? 'The key' : 'The keys'} ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
