// The words of rules in the window, the terminal and over MCP.
import { chooseUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import type { RuleEffect } from './effects.ts'
import type { RuleRehearsal } from './rehearsal.ts'
import type { Rule } from './rules.ts'
import type { RuleAnswer } from './terms.ts'
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
  const countAll = ({ requests, asked }: Rule['acted']) => requests + asked
  const isTried = mode === 'shadow' || (countAll(acted) === 0 && countAll(shadowed) > 0)
  const sums = isTried ? shadowed : acted
  if (countAll(sums) === 0) return null
  const count = countRequests(sums.requests)
  if (sums.asked > 0) {
    const times = sums.asked === 1 ? 'once' : `${formatCount(sums.asked)} times`
    return isTried
      ? `Would have asked ${times} in 30 days.`
      : `Asked ${times} in 30 days and refused ${count}.`
  }
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

const ANSWERS: Readonly<Record<RuleAnswer, string>> = {
  allowed: 'You allowed it.',
  denied: 'You did not allow it.',
  none: 'You did not answer in time.',
  'allowed-earlier': 'You had allowed its session or sub-agent.',
  'denied-earlier': 'You had not allowed its session or sub-agent.',
}

/** The outcome of the question of a rule; null for a rule that does not ask. */
export function describeRuleAnswer({ answer, shadow }: Pick<RuleEffect, 'answer' | 'shadow'>): string | null {
  if (answer === null) return null
  return shadow ? 'You would have been asked.' : ANSWERS[answer]
}

/** What a rule would have done to past requests. */
export function describeRuleRehearsal(rehearsal: RuleRehearsal): string {
  const { requests, imported, changed, asked, beforeUsd, afterUsd, rewriteUsd, unpriced, unknown } = rehearsal
  const decimals = chooseUsdDecimals([beforeUsd, afterUsd, rewriteUsd])
  const looked = `${countRequests(requests)}${imported > 0 ? `, ${formatCount(imported)} of them imported` : ''}`
  const older = unknown > 0 ? ` Of ${formatCount(unknown)}, a condition was not recorded.` : ''
  if (asked > 0) return `It would have asked about ${formatCount(asked)} of ${looked}.${older}`
  if (changed === 0) return `It would have changed none of ${looked}.`
  const caches =
    rewriteUsd > 0 ? ` That includes ${formatUsd(rewriteUsd, decimals)} for caches written again.` : ''
  const without = unpriced > 0 ? ` ${formatCount(unpriced)} without a known price are in no amount.` : ''
  return `It would have changed ${formatCount(changed)} of ${looked}: ${formatUsd(beforeUsd, decimals)} would have been ${formatUsd(afterUsd, decimals)}, at the same tokens.${caches}${without}${older}`
}
