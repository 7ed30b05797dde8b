// The window loads the routes first: no schema.
import type { MatchStatus } from './reconciliations.ts'

export const reconcileRoutes = {
  createReconciliation: { method: 'POST', path: '/v1/reconciliations' },
  listReconciliations: { method: 'GET', path: '/v1/reconciliations' },
  getReconciliation: { method: 'GET', path: '/v1/reconciliations/{id}' },
  settleReconciliation: { method: 'POST', path: '/v1/reconciliations/{id}/settle' },
  deleteReconciliation: { method: 'DELETE', path: '/v1/reconciliations/{id}' },
} as const

export const MATCH_NAMES: Readonly<Record<MatchStatus, string>> = {
  matched: 'Matches',
  differing: 'Differs',
  'missing-here': 'Only at the provider',
  'missing-there': 'Only in the log',
}
