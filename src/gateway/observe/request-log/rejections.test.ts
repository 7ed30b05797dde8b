import { beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import { type RejectedCall, type Rejection, Rejections } from './rejections.ts'

let now = 0
const clock = { now: () => 1_000_000 + now, monotonic: () => now }
let lines: string[] = []
const log = createLog({ write: (_level, message) => lines.push(message) })
let rejections: Rejections
let changed: Rejection[] = []

function call(id: string, part: Partial<RejectedCall> = {}): RejectedCall {
  return {
    id,
    keyId: 'key_a',
    endpoint: 'POST /v1/chat/completions',
    requestedModel: 'm',
    stream: false,
    httpStatus: 404,
    error: { type: 'not_found_error', message: 'There is no model "m".', code: 'model_not_found' },
    client: 'tool/1',
    ...part,
  }
}

const list = () => rejections.list({}).map(({ id }) => id)

beforeEach(() => {
  now = 0
  lines = []
  changed = []
  rejections = new Rejections(clock, log, (row) => changed.push(row))
  return () => rejections.close()
})

describe('rejected calls', () => {
  test('are counted together by key, endpoint, model and reason', () => {
    const error = { type: 'invalid_request_error', message: 'no' } as const
    for (const part of [
      {},
      { keyId: 'key_b' },
      { endpoint: 'POST /v1/responses' },
      { requestedModel: 'n' },
      { httpStatus: 400, error },
      { httpStatus: 400, error: { ...error, param: 'n' } },
    ]) {
      rejections.add(call(`${changed.length}`, part))
      rejections.add(call(`${changed.length} again`, { ...part, client: 'another' }))
    }
    expect(changed.map(({ count }) => count)).toEqual([2, 2, 2, 2, 2, 2])
    expect(rejections.find('3 again')?.id).toBe('2')
    expect(rejections.find('nothing')).toBeUndefined()
  })

  test('of the same millisecond have distinct times, even after the clock went back', () => {
    for (const id of ['a', 'b', 'c']) rejections.add(call(id, { requestedModel: id }))
    expect(changed.map(({ createdAt }) => createdAt)).toEqual([1_000_000, 1_000_001, 1_000_002])
    now = -500_000
    rejections.add(call('d', { requestedModel: 'd' }))
    expect(list()).toEqual(['c', 'b', 'a', 'd'])
  })

  test('contain no long text, line break or API key of a client', () => {
    const secret = `tg-${'s'.repeat(43)}`
    rejections.add(
      call('a', {
        requestedModel: 'x'.repeat(100_000),
        client: `one\ntwo ${secret}`,
        error: { type: 'not_found_error', message: `There is no model "${'x'.repeat(100_000)}".` },
      }),
    )
    const [row] = changed
    expect(JSON.stringify(row).length).toBeLessThan(2_000)
    expect(row?.client).toBe('one two …')
    expect(lines.join('')).not.toMatch(/\n|tg-/)
  })

  test('are logged once a minute for each key and reason', () => {
    for (const model of ['a', 'b', 'c']) rejections.add(call(model, { requestedModel: model }))
    expect(lines).toEqual([
      'Rejected POST /v1/chat/completions from key_a (tool/1) with 404: There is no model "m".',
    ])
    rejections.add(call('d', { keyId: 'key_b', client: null }))
    expect(lines.at(-1)).toMatch(/^Rejected POST \/v1\/chat\/completions from key_b with 404: /)
    now = 60_000
    rejections.add(call('e'))
    expect(lines).toHaveLength(3)
  })
})
