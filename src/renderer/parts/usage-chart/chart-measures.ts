import type { UsageSums } from '../../data/periods.ts'
import {
  chooseUsdDecimals,
  createUsdTickFormat,
  formatCount,
  formatDuration,
  formatUsd,
} from '../../kit/format.ts'

/** Writes one of several values that are shown together. */
type Format = (value: number) => string

interface Measure {
  label: string
  /** The text of an empty chart. */
  none: string
  /** Whether values of parts can be added up. Percentiles cannot: they are lines, without a split. */
  getAmount: ((sums: UsageSums) => number) | null
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
  latency: {
    label: 'Latency',
    none: 'No request succeeded in this period.',
    getAmount: null,
    findFormat: () => formatDuration,
    createTickFormat: () => formatTick,
    whole: false,
  },
} as const satisfies Record<string, Measure>

export type MeasureName = keyof typeof measures

export function getMeasure(name: MeasureName): Measure {
  return measures[name]
}

/** Durations on an axis: 0, 500 ms, 2.5 s, 90 s. */
function formatTick(ms: number): string {
  if (ms === 0) return '0'
  return ms < 1000 ? `${formatCount(ms)} ms` : `${Number((ms / 1000).toPrecision(3))} s`
}
