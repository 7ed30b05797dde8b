import { afterAll, expect } from 'vitest'
import type { RequestRecord } from '../shared/api/requests.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'

const tollgate = await startProgram()
afterAll(() => tollgate.close())

const listRows = async (keyId: string): Promise<RequestRecord[]> =>
  (await tollgate.call('GET', `/v1/requests?key=${keyId}`)).json.data

rule(
  'Requests and usage',
  'Refused requests of one key, model and reason within a minute are one row with a count and the last time',
  async () => {
    const { id, secret } = await tollgate.createKey({ name: 'at its cap', scope: 'full', spendLimitUsd: 0 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => tollgate.chat({}, { as: secret })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402]))
    await tollgate.chat({ model: 'sandbox-large' }, { as: secret })
    const counts = async () => (await listRows(id)).map(({ count }) => count)
    await expect.poll(counts, { timeout: 5_000 }).toEqual([1, 20])
    const [other, row] = await listRows(id)
    expect(other).toMatchObject({ requestedModel: 'sandbox-large', status: 'refused', lastAt: null })
    expect(row).toMatchObject({ requestedModel: 'sandbox-small', status: 'refused', httpStatus: 402 })
    expect(Date.parse(row?.lastAt ?? '')).toBeGreaterThanOrEqual(Date.parse(row?.createdAt ?? ''))
    for (const { headers } of answers) {
      const own = headers.get('x-service-request-id')
      expect((await tollgate.call('GET', `/v1/requests/${own}`)).json.id).toBe(row?.id)
      expect((await tollgate.call('GET', `/v1/requests?q=${own}`)).json.data[0]?.id).toBe(row?.id)
    }
  },
)

rule('Requests and usage', 'The count of refused requests survives a restart and is in no sum', async () => {
  const first = await startProgram()
  const { id, secret } = await first.createKey({ name: 'slow', scope: 'full', rpmLimit: 1 })
  for (let turn = 0; turn < 5; turn++) await first.chat({}, { as: secret })
  await first.terminate()
  const fresh = await startProgram(first)
  const { data } = (await fresh.call('GET', `/v1/requests?key=${id}&status=429`)).json
  expect(data.map(({ count }: RequestRecord) => count)).toEqual([4])
  expect((await fresh.call('GET', '/v1/usage')).json.total.requests).toBe(1)
  await fresh.close()
})
