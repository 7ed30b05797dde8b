// Sentences about prompts and their caches, the same in the window, in the terminal and for agents.
import { t } from 'ttag'
import type { CachingReport } from '../api/caching.ts'
import type { CacheCause, PromptPart } from '../api/prompts.ts'
import { localizeNumber } from '../values/locale.ts'
import { formatUsd } from './format-usd.ts'

export const PART_NAMES: Readonly<Record<PromptPart, string>> = {
  system: t`Instructions`,
  tools: t`Tool definitions`,
  history: t`Conversation`,
  results: t`Tool results`,
  media: t`Images and files`,
}

export const CAUSE_NAMES: Readonly<Record<CacheCause, string>> = {
  lifetime: t`Its time was over`,
  model: t`Another model`,
  tools: t`Tools changed`,
  'tool-order': t`Tools reordered`,
  system: t`Instructions changed`,
  history: t`History edited`,
  compaction: t`Compaction`,
  unknown: t`Unknown`,
}

export const formatShare = (share: number): string => `${Math.round(share * 100)}%`

/** `41 tool definitions are 38% of the prompts; 6 tools were called: $41.00.` Null without definitions. */
export function describeTools({ tools, parts }: Pick<CachingReport, 'tools' | 'parts'>): string | null {
  const count = Math.round(tools.perRequest)
  if (count === 0) return null
  const definitions = count === 1 ? t`1 tool definition is` : t`${count} tool definitions are`
  const called = tools.called === 1 ? t`1 tool was called` : t`${tools.called} tools were called`
  return t`${definitions} ${formatShare(parts.tools.share)} of the prompts; ${called}: ${formatUsd(parts.tools.usd)}.`
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
      ? t`Writing to caches cost ${formatUsd(-savedUsd)} more than they saved`
      : t`Caches saved ${formatUsd(savedUsd)}`
  const lost =
    breaks === 0
      ? t`none broke`
      : t`${breaks} ${breaks === 1 ? t`break` : t`breaks`} cost ${formatUsd(lostUsd)}`
  const factor =
    rewriteFactor === null
      ? ''
      : t` Each prompt was written ${localizeNumber(rewriteFactor.toFixed(2))} times; 1 is ideal.`
  return `${saved}; ${lost}.${factor}`
}
