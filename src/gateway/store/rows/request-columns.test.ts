import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { writes } from '../calls.ts'
import { openDatabase } from '../engine/open.ts'
import { openRequest } from '../ledger/ledger.ts'
import { getRequest } from '../listings/request-log.ts'
import { NOON, sampleKey, sampleRequest, temporary } from '../testing/samples.ts'

const { tempDir } = temporary(onTestFinished)

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
