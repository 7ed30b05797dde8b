import type { MatchStatus } from './reconciliations.ts'

export const MATCH_NAMES: Readonly<Record<MatchStatus, string>> = {
  matched: 'Matches',
  differing: 'Differs',
  'missing-here': 'Only at the provider',
  'missing-there': 'Only in the log',
}
