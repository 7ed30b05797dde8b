import { beforeEach, expect, it } from 'vitest'
import type { RequestRecord } from '../../shared/requests.ts'
import { noFilter } from './request-filter.ts'
import { useRequests } from './requests.ts'

function record(id: string, second: number, part: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id,
    createdAt: new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString(),
    keyId: 'key_1',
    keyName: 'SDK',
    requestedModel: 'sandbox-small',
    model: 'sandbox-small',
    provider: 'sandbox',
    stream: false,
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    tokensIn: 1,
    tokensOut: 1,
    usage: null,
    costUsd: 0,
    costStatus: 'exact',
    costLowUsd: null,
    costHighUsd: null,
    reservedUsd: 0,
    price: null,
    attempts: [],
    timings: { queueMs: 0, firstByteMs: 1, totalMs: 2 },
    client: null,
    ...part,
  }
}

const ids = (list: readonly RequestRecord[]) => list.map(({ id }) => id)
const { arrive, hold } = useRequests.getState()

beforeEach(() => {
  useRequests.setState({
    filter: noFilter,
    records: [record('b', 2)],
    held: [],
    holding: false,
    latestByKey: {},
  })
})

it('puts a new request where its time belongs, and replaces an older state of one', () => {
  arrive(record('c', 3, { status: 'running' }))
  arrive(record('a', 1))
  arrive(record('c', 3))
  const { records, latestByKey } = useRequests.getState()
  expect(ids(records)).toEqual(['c', 'b', 'a'])
  expect(records[0]?.status).toBe('succeeded')
  expect(latestByKey.key_1?.id).toBe('c')
})

it('holds back what arrives while the reader is further down', () => {
  hold(true)
  arrive(record('c', 3))
  arrive(record('d', 4))
  expect(ids(useRequests.getState().records)).toEqual(['b'])
  hold(false)
  expect(ids(useRequests.getState().records)).toEqual(['d', 'c', 'b'])
  expect(useRequests.getState().held).toEqual([])
})

it('shows only what passes the filter, and drops what no longer does', () => {
  useRequests.setState({ filter: { ...noFilter, status: 'running' }, records: [] })
  arrive(record('c', 3, { status: 'running' }))
  arrive(record('d', 4))
  expect(ids(useRequests.getState().records)).toEqual(['c'])
  arrive(record('c', 3))
  expect(useRequests.getState().records).toEqual([])
})
