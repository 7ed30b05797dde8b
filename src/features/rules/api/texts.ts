// The words of rules in the window, the terminal and over MCP.
import { chooseUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import { getDateFormat } from '../../../shared/values/locale.ts'
import type { RuleEffect } from './effects.ts'
import type { Rehearsal, RehearsalInput } from './rehearsal.ts'
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

function formatAmounts({ savedUsd, rewriteUsd }: Pick<Rehearsal, 'savedUsd' | 'rewriteUsd'>): string {
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

/** The verbs of rules and limits. */
export const REHEARSED_VERBS = {
  change: 'changed',
  stop: 'stopped',
  ask: 'asked about',
  warn: 'warned of',
} as const
export type RehearsedKind = keyof typeof REHEARSED_VERBS

/** What a rule or a limit does. */
export function getRehearsedKind({ rule, limit }: Pick<RehearsalInput, 'rule' | 'limit'>): RehearsedKind {
  if (limit) return limit.action ?? 'stop'
  return rule?.do.some(({ kind }) => kind === 'ask') ? 'ask' : 'change'
}

/** What a rule or a limit would have done to the requests of the last days. */
export function describeRehearsal(
  { requests, imported, changed, days, firstAt, timeZone, beforeUsd, afterUsd }: Rehearsal,
  kind: RehearsedKind,
): string {
  if (requests === 0) return 'There are no requests to try it on.'
  const verb = REHEARSED_VERBS[kind]
  const all = `${countRequests(requests)}${imported > 0 ? `, ${formatCount(imported)} of them imported` : ''}`
  if (firstAt === null) return `It would have ${verb} none of ${all}.`
  const first = getDateFormat({ day: 'numeric', month: 'short' }, timeZone).format(Date.parse(firstAt))
  const when = days === 1 ? `on ${first}` : `on ${days} days, first on ${first}`
  const decimals = chooseUsdDecimals([beforeUsd, afterUsd])
  const amounts = `${formatUsd(afterUsd, decimals)} instead of ${formatUsd(beforeUsd, decimals)}`
  const cost = afterUsd === beforeUsd ? '' : `: ${amounts}${kind === 'change' ? ' at the same tokens' : ''}`
  return `It would have ${verb} ${formatCount(changed)} of ${all}, ${when}${cost}.`
}

/** What the amounts of a rehearsal include, and what they leave out. */
export function explainRehearsal({ rewriteUsd, unpriced, unknown }: Rehearsal): string[] {
  return [
    ...(rewriteUsd > 0 ? [`That includes ${formatUsd(rewriteUsd)} for caches written again.`] : []),
    ...(unpriced > 0 ? [`${formatCount(unpriced)} without a known price count as unchanged.`] : []),
    ...(unknown > 0 ? [`Of ${formatCount(unknown)}, a condition was not recorded.`] : []),
  ]
}
