import type { MatchStatus } from '../../../shared/reconciliations.ts'
import type { Tone } from '../../components/badge.tsx'

export const matchNames: Readonly<Record<MatchStatus, { label: string; tone: Tone; explanation: string }>> = {
  matched: { label: 'Matches', tone: 'good', explanation: 'The same on both sides, except for rounding.' },
  differing: {
    label: 'Differs',
    tone: 'warn',
    explanation: 'On both sides, with other tokens or another cost.',
  },
  'missing-here': { label: 'Only at the provider', tone: 'bad', explanation: 'Not in the request log.' },
  'missing-there': { label: 'Only in the log', tone: 'bad', explanation: 'Not in the export.' },
}

export type Shown = MatchStatus | 'all'
