import { beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import type { RefusedRequest } from '../../store/store.ts'
import { type RejectedCall, Rejections } from './rejections.ts'

let now = 0
const clock = { now: () => 1_000_000 + now, monotonic: () => now }
let lines: string[] = []
const log = createLog({ write: (_level, message) => lines.push(message) })
let rejections: Rejections
let recorded: RefusedRequest[] = []

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

beforeEach(() => {
  now = 0
  lines = []
  recorded = []
  rejections = new Rejections(clock, log, (row) => recorded.push(row) > 0)
})

describe('rejected calls', () => {
  test('are recorded as they come, with no duration', () => {
    rejections.add(call('a'))
    expect(recorded).toEqual([{ ...call('a'), status: 'rejected', createdAt: 1_000_000, totalMs: null }])
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
    const [row] = recorded
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
