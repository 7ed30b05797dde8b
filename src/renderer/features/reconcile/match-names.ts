import { MATCH_NAMES } from '../../../shared/api/labels.ts'
import type { MatchStatus } from '../../../shared/api/reconciliations.ts'
import type { Tone } from '../../kit/badge.tsx'

export const matchNames: Readonly<Record<MatchStatus, { label: string; tone: Tone; explanation: string }>> = {
  matched: {
    label: MATCH_NAMES.matched,
    tone: 'good',
    explanation: 'The same on both sides, except for rounding.',
  },
  differing: {
    label: MATCH_NAMES.differing,
    tone: 'warn',
    explanation: 'On both sides, but tokens or cost differ.',
  },
  'missing-here': { label: MATCH_NAMES['missing-here'], tone: 'bad', explanation: 'Not in the request log.' },
  'missing-there': { label: MATCH_NAMES['missing-there'], tone: 'bad', explanation: 'Not in the export.' },
}

export type StatusFilter = MatchStatus | 'all'
