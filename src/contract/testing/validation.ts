import { expect } from 'vitest'
import type { TestClient } from '../../gateway/testing/gateway.ts'

/** Expects 400 for each body, with the path of the invalid field in `param`. */
export async function expectRejected(
  tollgate: TestClient,
  cases: readonly (readonly [body: object, param: string])[],
): Promise<void> {
  for (const [body, param] of cases) {
    const { status, json } = await tollgate.chat({ max_tokens: 5, ...body })
    expect([body, status, json.error?.type, json.error?.param]).toEqual([
      body,
      400,
      'invalid_request_error',
      param,
    ])
  }
}

export async function expectAccepted(tollgate: TestClient, bodies: readonly object[]): Promise<void> {
  for (const body of bodies) {
    const { status, json } = await tollgate.chat({ max_tokens: 5, ...body })
    expect([body, status, json.error]).toEqual([body, 200, undefined])
  }
}
