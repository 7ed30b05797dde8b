import type { TestClient } from '../../gateway/testing/gateway.ts'

/** Reads the request log's record of a request, by its id. */
export function recordReader({ call }: Pick<TestClient, 'call'>) {
  return async (id: string | null | undefined) => (await call('GET', `/v1/requests/${id}`)).json
}
