// The words of rules in the window, the terminal and over MCP.
import { chooseUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import type { RuleRehearsal } from './rehearsal.ts'
import type { Rule } from './rules.ts'
import { formatCount } from './words.ts'

/** The heading of a rule: its name, or its sentence. */
export function titleRule({ name, sentence }: Pick<Rule, 'name' | 'sentence'>): string {
  return name ?? sentence
}

/** What a rule did in the last 30 days; null for nothing. */
export function describeSums({
  mode,
  acted,
  shadowed,
}: Pick<Rule, 'mode' | 'acted' | 'shadowed'>): string | null {
  const isTried = mode === 'shadow' || (acted.requests === 0 && shadowed.requests > 0)
  const sums = isTried ? shadowed : acted
  if (sums.requests === 0) return null
  const count = countRequests(sums.requests)
  const [verb, saved] = isTried ? ['Would have changed', 'would have saved'] : ['Changed', 'saved']
  return `${verb} ${count} in 30 days and ${saved} ${formatAmounts(sums)} at the same tokens.`
}

function countRequests(count: number): string {
  return count === 1 ? '1 request' : `${formatCount(count)} requests`
}

function formatAmounts({ savedUsd, rewriteUsd }: Pick<RuleRehearsal, 'savedUsd' | 'rewriteUsd'>): string {
  const decimals = chooseUsdDecimals([savedUsd, rewriteUsd])
  const rewritten =
    rewriteUsd > 0 ? `, less ${formatUsd(rewriteUsd, decimals)} for caches written again,` : ''
  return `${formatUsd(savedUsd, decimals)}${rewritten}`
}

/** What a rule would have done to past requests. */
export function describeRuleRehearsal(rehearsal: RuleRehearsal): string {
  const { requests, imported, changed, beforeUsd, afterUsd, rewriteUsd, unpriced, unknown } = rehearsal
  const decimals = chooseUsdDecimals([beforeUsd, afterUsd, rewriteUsd])
  const looked = `${countRequests(requests)}${imported > 0 ? `, ${formatCount(imported)} of them imported` : ''}`
  if (changed === 0) return `It would have changed none of ${looked}.`
  const caches =
    rewriteUsd > 0 ? ` That includes ${formatUsd(rewriteUsd, decimals)} for caches written again.` : ''
  const without = unpriced > 0 ? ` ${formatCount(unpriced)} without a known price are in no amount.` : ''
  const older = unknown > 0 ? ` Of ${formatCount(unknown)}, a condition was not recorded.` : ''
  return `It would have changed ${formatCount(changed)} of ${looked}: ${formatUsd(beforeUsd, decimals)} would have been ${formatUsd(afterUsd, decimals)}, at the same tokens.${caches}${without}${older}`
}
