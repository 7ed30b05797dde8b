import { CircleAlert, CircleCheck } from 'lucide-react'
import { create } from 'zustand'
import type { ProviderPut, ProviderTest } from '../../../shared/api/providers.ts'
import { api } from '../../data/api.ts'
import { fetchProviderModels, putProvider, removeProvider } from '../../data/mutations.ts'
import { refreshProviders } from '../../data/queries.ts'
import { toApiError } from '../../kit/api-error.ts'
import { cn } from '../../kit/cn.ts'
import { formatDuration, formatQuantity } from '../../kit/format.ts'

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
