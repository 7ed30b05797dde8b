import { expect, test } from 'vitest'
import { z } from 'zod'
import { RequestRecord } from '../../../shared/api/requests.ts'
import { nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { INITIAL_ROW } from '../../store/store.ts'
import { requestView } from './records.ts'

const VIEWS = {
  batch: { view: () => null },
  prompt: { view: () => null },
  rules: { view: () => null },
  secrets: { view: () => null },
  credential: { view: () => null },
}
const Exactly = z.strictObject(RequestRecord.shape)
const call = {
  id: 'req_1',
  createdAt: 0,
  keyId: 'key_a',
  requestedModel: 'small',
  stream: false,
  client: null,
}

test('the view of a stored request has the members of the contract, and no others', () => {
  const row = { ...INITIAL_ROW, ...call, seq: 1, bodiesKept: false, queueMs: 2, totalMs: 3 }
  const view = requestView({ ...row, reservedNano: nanoUsd(5), estimateNano: nanoUsd(4) }, 'Key', null, VIEWS)
  expect(Exactly.parse(view)).toEqual(view)
  expect(view).toMatchObject({
    createdAt: '1970-01-01T00:00:00.000Z',
    reservedUsd: 0.000000005,
    timings: { queueMs: 2, firstByteMs: null, totalMs: 3 },
  })
})

test('so does the view of a rejected call that names no model', () => {
  const error = { type: 'invalid_request_error', message: 'unknown endpoint' } as const
  const rejected = {
    status: 'rejected',
    costStatus: 'free',
    costNano: ZERO_USD,
    reservedNano: ZERO_USD,
  } as const
  const row = { ...INITIAL_ROW, ...call, ...rejected, seq: 1, bodiesKept: false, estimateNano: null, error }
  const view = requestView(
    { ...row, requestedModel: '', httpStatus: 404, count: 2, lastAt: 9_000 },
    'Key',
    null,
    VIEWS,
  )
  expect(Exactly.parse(view)).toEqual(view)
  expect(view).toMatchObject({
    status: 'rejected',
    costUsd: 0,
    costStatus: 'free',
    requestedModel: null,
    count: 2,
    lastAt: '1970-01-01T00:00:09.000Z',
  })
})
