import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'

const MARK = 'x'.repeat(300_000)
let received: () => void = () => undefined
const gateway = await forFile(startTestGateway())
const upstream = await forFile(
  startTestUpstream(async (exchange) => {
    const usage = { promptTokenCount: 10, candidatesTokenCount: 5 }
    const part = (text: string) => ({ content: { parts: [{ text }], role: 'model' }, index: 0 })
    exchange.begin().data({ candidates: [{ ...part('Hi'), finishReason: 'STOP' }], usageMetadata: usage })
    const late = new Promise<void>((resolve) => {
      received = resolve
    })
    for (let turn = 0; turn < 8; turn++) exchange.data({ candidates: [part(MARK)], usageMetadata: usage })
    // Ends only when the client has got some of what came after the end.
    await late
    exchange.data({ candidates: [part('')], usageMetadata: { ...usage, candidatesTokenCount: 500_000 } })
    exchange.response.end()
  }),
)
await gateway.addProvider('acme', `${upstream.url}/v1`, ['gemini'], { apiFormat: 'gemini-generate' })

test('a provider that goes on after the finish reason does not fill the memory, and all of it is charged', async () => {
  const response = await fetch(`${gateway.baseUrl}/v1beta/models/gemini:streamGenerateContent?alt=sse`, {
    method: 'POST',
    headers: { 'x-goog-api-key': gateway.admin, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
  })
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    if (text.includes(MARK)) received()
  }
  expect(text.split(MARK)).toHaveLength(9)
  expect(text).toContain('"cost":1.00001')
  const [record] = await gateway.records()
  expect(record).toMatchObject({ costUsd: 1.00001, costStatus: 'exact', tokensOut: 500_000 })
})
