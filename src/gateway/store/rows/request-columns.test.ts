import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { writes } from '../calls.ts'
import { openDatabase } from '../engine/open.ts'
import { openRequest, recordRefused } from '../ledger/ledger.ts'
import { getRequest } from '../listings/request-log.ts'
import { NOON, sampleKey, sampleRequest } from '../testing/samples.ts'
import { tempDir } from '../testing/temp-store.ts'
import { setFeatureField } from './request-columns.ts'

test('a new row has the initial values', () => {
  const { db } = openDatabase(tempDir(), silentLog, NOON)
  onTestFinished(() => void db.close())
  writes.insertKey(db, sampleKey('key_a'))
  const request = sampleRequest('req_1')
  openRequest(db, request)
  expect(getRequest(db, 'req_1')).toMatchObject({
    ...{ ...request, seq: 1, model: null, provider: null, status: 'running', httpStatus: null },
    error: null,
    tokensIn: 0,
    tokensOut: 0,
    usage: null,
    costNano: null,
    costStatus: 'pending',
    costLowNano: null,
    costHighNano: null,
    price: null,
    attempts: [],
    queueMs: null,
    firstByteMs: null,
    totalMs: null,
    count: 1,
    lastAt: null,
    bodiesKept: false,
    settledAt: null,
  })
})

test('the fields of features are recorded with a request, also with a refused one, and later', () => {
  const { db } = openDatabase(tempDir(), silentLog, NOON)
  onTestFinished(() => void db.close())
  writes.insertKey(db, sampleKey('key_a'))
  openRequest(db, { ...sampleRequest('req_1'), features: { prompt: [1] } })
  setFeatureField(db, 'req_1', 'prompt', [2, 3])
  expect(getRequest(db, 'req_1')?.features).toEqual({ prompt: [2, 3] })
  openRequest(db, sampleRequest('req_2'))
  setFeatureField(db, 'req_2', 'prompt', [4])
  expect(getRequest(db, 'req_2')?.features).toEqual({ prompt: [4] })
  const { id, createdAt, keyId, requestedModel, stream, client } = sampleRequest('req_3')
  const call = { id, createdAt, keyId, requestedModel, stream, client, totalMs: 1 }
  const error = { type: 'rate_limit_exceeded', message: 'later' } as const
  expect(recordRefused(db, { ...call, httpStatus: 429, error, features: { prompt: [5] } })).toMatchObject({
    status: 'refused',
    features: { prompt: [5] },
  })
})
