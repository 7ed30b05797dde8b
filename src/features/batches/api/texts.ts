import { formatUsd } from '../../../shared/money/format-usd.ts'
import { printable } from '../../../shared/values/text.ts'
import type { BatchJob } from './batches.ts'

const formatCount = (count: number): string => count.toLocaleString('en-US')

/** Formats the alert of a batch whose lines are settled. */
export function describeBatch({ keyName, lines, succeeded, costUsd, problem }: BatchJob): {
  title: string
  body: string
} {
  const sum = `${formatCount(succeeded)} of ${formatCount(lines)} requests were answered, for ${formatUsd(costUsd)}.`
  return {
    title: `A batch of ${printable(keyName)} is done`,
    body: problem === null ? sum : `${sum} ${problem}`,
  }
}
