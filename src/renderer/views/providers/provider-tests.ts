import { create } from 'zustand'
import type { ProviderTest } from '../../../shared/providers.ts'
import { api } from '../../api.ts'
import { toApiError } from '../../api-error.ts'
import { refreshProviders, removeProvider } from '../../server-state/mutations.ts'

type TestOutcome = { state: 'running' } | ({ state: 'done' } & ProviderTest)

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
  useProviderTests.setState({ [id]: { state: 'done', ...result } })
  await refreshProviders()
  return result
}

/** Removes a provider and the result of its test. Throws ApiError. */
export async function removeTestedProvider(id: string): Promise<void> {
  await removeProvider(id)
  const { [id]: _, ...others } = useProviderTests.getState()
  useProviderTests.setState(others, true)
}
