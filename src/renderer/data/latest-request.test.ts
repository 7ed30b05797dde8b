import { beforeEach, expect, test, vi } from 'vitest'
import { FakeGateway } from '../testing/fake-gateway.ts'
import { requestRow } from '../testing/rows.ts'
import { queryClient, refresh } from './query-client.ts'
import { latestRequest, updateLatestRequests } from './running.ts'

const latest = () => queryClient.getQueryData(latestRequest('key_1', null).queryKey)
const lastUsedAt = requestRow('', 5).createdAt
let gateway: FakeGateway

beforeEach(() => {
  queryClient.clear()
  gateway = new FakeGateway().install()
  return () => vi.unstubAllGlobals()
})

test('the last call is the latest one, even if the count of earlier ones is sent later', () => {
  const rejected = requestRow('x', 1, { status: 'rejected' })
  updateLatestRequests([rejected, requestRow('c', 3)])
  updateLatestRequests([{ ...rejected, count: 2, lastAt: requestRow('', 2).createdAt }])
  expect(latest()?.id).toBe('c')
  updateLatestRequests([{ ...rejected, count: 3, lastAt: requestRow('', 4).createdAt }])
  expect(latest()).toMatchObject({ id: 'x', count: 3 })
})

test('the latest request of a key can be a rejected call', async () => {
  gateway.on('listRequests', () => ({ data: [requestRow('x', 5, { status: 'rejected' })], nextCursor: null }))
  await refresh(latestRequest('key_1', lastUsedAt))
  expect(latest()?.id).toBe('x')
})

test('a call that was rejected before the last use does not count', async () => {
  gateway.on('listRequests', () => ({ data: [requestRow('x', 4, { status: 'rejected' })], nextCursor: null }))
  await refresh(latestRequest('key_1', lastUsedAt))
  expect(latest()).toBeNull()
})

test('a request that arrives during the read is newer', async () => {
  const { answer } = gateway.hold('listRequests')
  const reading = refresh(latestRequest('key_1', lastUsedAt))
  updateLatestRequests([requestRow('y', 9)])
  answer({ data: [requestRow('x', 5, { status: 'rejected' })], nextCursor: null })
  await reading
  expect(latest()?.id).toBe('y')
})
