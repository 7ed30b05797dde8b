// The window loads the routes first: no schema.
import type { MatchStatus } from './reconciliations.ts'

export const reconcileRoutes = {
  reconcile: { method: 'POST', path: '/v1/reconciliations' },
} as const

export const MATCH_NAMES: Readonly<Record<MatchStatus, string>> = {
  matched: 'Matches',
  differing: 'Differs',
  'missing-here': 'Only at the provider',
  'missing-there': 'Only in the log',
}
