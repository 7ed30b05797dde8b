import type { UsageSums } from '../../data/periods.ts'
import { chooseUsdDecimals, createUsdTickFormat, formatCount, formatUsd } from '../../kit/format.ts'

/** Writes one of several values that are shown together. */
type Format = (value: number) => string

interface Measure {
  label: string
  /** The text of an empty chart. */
  none: string
  getAmount: (sums: UsageSums) => number
  findFormat: (values: readonly number[]) => Format
  createTickFormat: (ticks: readonly number[]) => Format
  /** The axis has whole numbers. */
  whole: boolean
}

const formatShort: Format = (count) => formatCount(count, true)
const counts = {
  findFormat: () => formatCount,
  createTickFormat: () => formatShort,
  whole: true,
} satisfies Partial<Measure>

const amounts = {
  findFormat: (values) => {
    const decimals = chooseUsdDecimals(values)
    return (usd) => formatUsd(usd, decimals)
  },
  createTickFormat: createUsdTickFormat,
  whole: false,
} satisfies Partial<Measure>

export const measures = {
  spend: {
    label: 'Spend',
    none: 'No spend in this period.',
    getAmount: ({ costUsd }) => costUsd,
    ...amounts,
  },
  worth: {
    label: 'Worth of plans',
    none: 'No plan was used in this period.',
    getAmount: ({ worthUsd }) => worthUsd,
    ...amounts,
  },
  tokens: {
    label: 'Tokens',
    none: 'No tokens were used in this period.',
    getAmount: ({ tokensIn, tokensOut }) => tokensIn + tokensOut,
    ...counts,
    findFormat: () => formatShort,
  },
  requests: {
    label: 'Requests',
    none: 'No requests in this period.',
    getAmount: ({ requests }) => requests,
    ...counts,
  },
  errors: {
    label: 'Errors',
    none: 'No request failed in this period.',
    getAmount: ({ errors }) => errors,
    ...counts,
  },
} as const satisfies Record<string, Measure>

export type MeasureName = keyof typeof measures

export function getMeasure(name: MeasureName): Measure {
  return measures[name]
}
