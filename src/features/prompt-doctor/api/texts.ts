// Sentences about prompts and their caches, the same in the window, in the terminal and for agents.

import { formatUsd } from '../../../shared/money/format-usd.ts'
import { localizeNumber } from '../../../shared/values/locale.ts'
import type { CachingReport } from './caching.ts'
import type { CacheCause, PromptPart } from './prompts.ts'

export const PART_NAMES: Readonly<Record<PromptPart, string>> = {
  system: 'Instructions',
  tools: 'Tool definitions',
  history: 'Conversation',
  results: 'Tool results',
  media: 'Images and files',
}

export const CAUSE_NAMES: Readonly<Record<CacheCause, string>> = {
  lifetime: 'Its time was over',
  model: 'Another model',
  tools: 'Tools changed',
  'tool-order': 'Tools reordered',
  system: 'Instructions changed',
  history: 'History edited',
  compaction: 'Compaction',
  unknown: 'Unknown',
}

export const formatShare = (share: number): string => `${Math.round(share * 100)}%`

/** `41 tool definitions are 38% of the prompts; 6 tools were called: $41.00.` Null without definitions. */
export function describeTools({ tools, parts }: Pick<CachingReport, 'tools' | 'parts'>): string | null {
  const count = Math.round(tools.perRequest)
  if (count === 0) return null
  const definitions = count === 1 ? '1 tool definition is' : `${count} tool definitions are`
  const called = tools.called === 1 ? '1 tool was called' : `${tools.called} tools were called`
  return `${definitions} ${formatShare(parts.tools.share)} of the prompts; ${called}: ${formatUsd(parts.tools.usd)}.`
}

/** The savings and losses of caches, and how often prompts were written. */
export function describeCache({
  savedUsd,
  lostUsd,
  breaks,
  rewriteFactor,
}: Pick<CachingReport, 'savedUsd' | 'lostUsd' | 'breaks' | 'rewriteFactor'>): string {
  const saved =
    savedUsd < 0
      ? `Writing to caches cost ${formatUsd(-savedUsd)} more than they saved`
      : `Caches saved ${formatUsd(savedUsd)}`
  const lost =
    breaks === 0 ? 'none broke' : `${breaks} ${breaks === 1 ? 'break' : 'breaks'} cost ${formatUsd(lostUsd)}`
  const factor =
    rewriteFactor === null
      ? ''
      : ` Each prompt was written ${localizeNumber(rewriteFactor.toFixed(2))} times; 1 is ideal.`
  return `${saved}; ${lost}.${factor}`
}
