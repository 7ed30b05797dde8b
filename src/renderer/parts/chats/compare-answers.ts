import { formatDecimal } from '../../kit/format.ts'
import type { Answer } from './chat-storage.ts'

/** From this ratio on, two numbers count as different. */
const DIFFERENT = 1.05
const DIFFERENT_LENGTH = 1.2

interface AnswerFigures {
  name: string
  costUsd: number
  ms: number
  tokensOut: number
}

/** The summary of a comparison of models, in a line; null until at least two answers are finished and have their records. */
export function compareAnswers(answers: readonly Answer[]): string | null {
  const compared = nameAnswers(answers.filter(({ state }) => state === 'done'))
  const [first, second] = compared
  if (!first || !second || compared.length < answers.length) return null
  return compared.length === 2 ? compareTwo(first, second) : compareMore(compared)
}

function compareTwo(first: AnswerFigures, second: AnswerFigures): string {
  const isFirst =
    ratio(first.costUsd, second.costUsd) > 1 ? first.costUsd < second.costUsd : first.ms <= second.ms
  const [better, other] = isFirst ? [first, second] : [second, first]
  const parts = [
    describeCost(better, other),
    describe(other.ms, better.ms, ['faster', 'slower', 'similar time'], DIFFERENT),
    describe(better.tokensOut, other.tokensOut, ['longer', 'shorter', 'similar length'], DIFFERENT_LENGTH),
  ]
  return `${better.name}: ${parts.join(', ')}`
}

function compareMore(compared: readonly AnswerFigures[]): string {
  const byCost = compared.toSorted((a, b) => a.costUsd - b.costUsd)
  const byTime = compared.toSorted((a, b) => a.ms - b.ms)
  return [
    describeExtreme(['Cheapest', 'cheaper', 'Same cost'], byCost, ({ costUsd }) => costUsd),
    describeExtreme(['Fastest', 'faster', 'Similar time'], byTime, ({ ms }) => ms),
  ].join('. ')
}

function describeExtreme(
  [title, word, same]: readonly [string, string, string],
  sorted: readonly AnswerFigures[],
  value: (one: AnswerFigures) => number,
): string {
  const [least] = sorted
  const most = sorted.at(-1)
  if (!least || !most) return ''
  const by = ratio(value(least), value(most))
  if (by < DIFFERENT) return same
  const difference = Number.isFinite(by) ? `${formatRatio(by)}× ${word} than ${most.name}` : 'free'
  return `${title}: ${least.name} (${difference})`
}

function describeCost(better: AnswerFigures, other: AnswerFigures): string {
  if (better.costUsd === 0 && other.costUsd > 0) return 'free'
  return describe(other.costUsd, better.costUsd, ['cheaper', 'more expensive', 'same cost'], DIFFERENT)
}

/** `words`: when the first value is larger, when it is smaller, and when they are about the same. */
function describe(
  a: number,
  b: number,
  [larger, smaller, same]: readonly [string, string, string],
  threshold: number,
): string {
  const by = ratio(a, b)
  return by < threshold ? same : `${formatRatio(by)}× ${a > b ? larger : smaller}`
}

/** How many times the larger value is the smaller one. */
function ratio(a: number, b: number): number {
  return a === b ? 1 : Math.max(a, b) / Math.min(a, b)
}

function formatRatio(by: number): string {
  return by >= 10 ? String(Math.round(by)) : formatDecimal(by, 1)
}

/** Answers with all their numbers; those of the same model are told apart by their position. */
function nameAnswers(answers: readonly Answer[]): AnswerFigures[] {
  return answers.flatMap(({ model, costUsd, ms, tokensOut, column }) => {
    if (costUsd === null || ms === null || tokensOut === null) return []
    const isUnique = answers.filter((other) => other.model === model).length === 1
    return [{ name: (isUnique && model) || `Model ${column + 1}`, costUsd, ms, tokensOut }]
  })
}
