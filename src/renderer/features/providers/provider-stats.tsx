import { CircleAlert, CircleCheck } from 'lucide-react'
import { create } from 'zustand'
import type { ProviderPut, ProviderTest } from '../../../shared/api/providers.ts'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { api } from '../../data/api.ts'
import { fetchProviderModels, putProvider, removeProvider } from '../../data/mutations.ts'
import { refreshProviders } from '../../data/queries.ts'
import { type Query, volatileQuery } from '../../data/query-client.ts'
import { toApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { Percentile } from '../../kit/change.tsx'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatDecimal, formatDuration, formatQuantity } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'

/** The columns of the last day: of the head and of each row. Narrow windows show only the errors. */
const columns = {
  spend: 'w-24 text-right max-lg:hidden',
  requests: 'w-18 text-right max-lg:hidden',
  errors: 'w-14 text-right max-sm:mr-auto max-sm:w-auto',
  latency: 'w-18 text-right max-lg:hidden',
} as const

export function StatsHead() {
  return (
    <>
      <span className={columns.spend}>Spend</span>
      <span className={columns.requests}>Requests</span>
      <span className={cn(columns.errors, 'max-sm:hidden')}>Errors</span>
      <span className={columns.latency}>Latency</span>
    </>
  )
}

interface ProviderStatsProps {
  /** Undefined for a provider without requests. */
  usage: UsageRow | undefined
  /** The decimals of the amounts in all rows. */
  decimals: number
}

export function ProviderStats({ usage, decimals }: ProviderStatsProps) {
  const none = <span aria-hidden>–</span>
  if (!usage || usage.requests === 0) {
    return (
      <>
        <span className="sr-only">No requests in the last 24 hours</span>
        <span className={cn(columns.spend, 'text-ink-3')}>{none}</span>
        <span className={cn(columns.requests, 'text-ink-3')}>{none}</span>
        <span className={cn(columns.errors, 'text-ink-3 max-sm:invisible')}>{none}</span>
        <span className={cn(columns.latency, 'text-ink-3')}>{none}</span>
      </>
    )
  }
  const { requests, errors, costUsd, unpriced, latencyP50Ms } = usage
  return (
    <>
      <span className={cn(columns.spend, 'whitespace-nowrap tabular-nums')}>
        {unpriced === requests ? (
          <span className="text-ink-3">unknown</span>
        ) : (
          <>
            {unpriced > 0 ? <span className="text-ink-3">≥ </span> : null}
            <Money usd={costUsd} decimals={decimals} />
          </>
        )}
        <span className="sr-only"> spent in the last 24 hours</span>
      </span>
      <span className={cn(columns.requests, 'tabular-nums')}>
        {formatCount(requests, true)}
        <span className="sr-only"> requests in the last 24 hours</span>
      </span>
      <span className={cn(columns.errors, 'tabular-nums', hasManyErrors(usage) && 'font-medium text-bad')}>
        {formatErrorRate(usage)}
        <span className="sr-only max-sm:not-sr-only"> failed</span>
      </span>
      <span className={cn(columns.latency, 'tabular-nums')}>
        {latencyP50Ms == null ? none : <Percentile ms={latencyP50Ms} requests={requests - errors} />}
        <span className="sr-only"> median latency</span>
      </span>
    </>
  )
}

const DAY_MS = 86_400_000

/** The usage of each provider in the last 24 hours, by its id. Live events refresh queries that begin with `usage-in`. */
export const providersLastDay: Query<ReadonlyMap<string, UsageRow>> = volatileQuery(
  ['usage-in', 'providers-last-day'],
  async () => {
    const from = new Date(Date.now() - DAY_MS).toISOString()
    const { data } = await api('getUsage', { query: { groupBy: 'provider', from, latency: 'true' } })
    return new Map(data.map((row) => [row.group, row]))
  },
)

/** "0.5%"; a share that is not nothing is never shown as 0%. */
export function formatErrorRate({ errors, requests }: Pick<UsageRow, 'errors' | 'requests'>): string {
  const percent = (errors / requests) * 100
  if (percent === 0) return '0%'
  if (percent < 0.1) return '< 0.1%'
  return `${percent < 10 ? formatDecimal(percent, 1).replace(/\D0$/, '') : Math.round(percent)}%`
}

const FEW = 3
const MUCH = 0.1

/** Whether more than one in ten requests fails, unless that is only one or two. */
export function hasManyErrors({ errors, requests }: Pick<UsageRow, 'errors' | 'requests'>): boolean {
  return errors >= FEW && errors / requests > MUCH
}

interface TestResultProps {
  result: ProviderTest
  className?: string
}

export function TestResult({ result, className }: TestResultProps) {
  const Icon = result.ok ? CircleCheck : CircleAlert
  return (
    <p role="status" className={cn('flex gap-2 text-sm', result.ok ? 'text-good' : 'text-bad', className)}>
      <Icon size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">
        {result.ok
          ? `Connected in ${formatDuration(result.latencyMs)}, ${formatQuantity(result.modelCount, 'model')} found.`
          : `Connection failed: ${result.error ?? 'no reason was given.'}`}
      </span>
    </p>
  )
}

interface UseBaseUrlProps {
  /** The address with which a test would pass. */
  baseUrl: string
  disabled?: boolean
  onUse: () => void
}

export function UseBaseUrl({ baseUrl, disabled = false, onUse }: UseBaseUrlProps) {
  return (
    <Button small onClick={onUse} disabled={disabled} className="max-w-full self-start">
      <span className="truncate">{`Use ${baseUrl}`}</span>
    </Button>
  )
}

export type TestOutcome = { state: 'running' } | ({ state: 'done'; at: string } & ProviderTest)

/** The last test of each provider since the window opened, by provider id. */
export const useProviderTests = create<Readonly<Record<string, TestOutcome>>>()(() => ({}))

/** Never rejects: a test that could not be made has failed. */
export async function testProvider(id: string): Promise<ProviderTest> {
  useProviderTests.setState({ [id]: { state: 'running' } })
  const result = await api('testProvider', { params: { id } }).catch(
    (thrown: unknown): ProviderTest => ({
      ok: false,
      latencyMs: 0,
      modelCount: 0,
      error: toApiError(thrown).message,
    }),
  )
  recordTest(id, result)
  await refreshProviders()
  return result
}

export function recordTest(id: string, result: ProviderTest): void {
  useProviderTests.setState({ [id]: { state: 'done', at: new Date().toISOString(), ...result } })
}

/** Tests the provider as it would be after the change, without saving it. Throws ApiError for what cannot be saved. */
export function tryProvider(id: string, put: ProviderPut): Promise<ProviderTest> {
  return api('tryProvider', { params: { id }, body: put })
}

/** Saves a change that passed its test, and fetches the models; resolves to the test with their number. Throws ApiError. */
export async function saveTested(id: string, put: ProviderPut, test: ProviderTest): Promise<ProviderTest> {
  await putProvider(id, put)
  recordTest(id, test)
  const modelCount = await fetchProviderModels(id).catch(() => test.modelCount)
  return { ...test, modelCount }
}

/** Removes a provider and the result of its test. Throws ApiError. */
export async function removeTestedProvider(id: string): Promise<void> {
  await removeProvider(id)
  const { [id]: _, ...others } = useProviderTests.getState()
  useProviderTests.setState(others, true)
}
