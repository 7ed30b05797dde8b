// The variables of OpenTelemetry reach the gateway of the real program.

import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { startOtlpReceiver } from '../features/telemetry/gateway/testing/otlp-receiver.ts'
import { getEnd, spawnProgram } from '../gateway/testing/program.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'

test('tollgate serve exports traces to the endpoint that OTEL_ variables name, and sends what waits before it ends', async () => {
  const dataDir = tempDirForTest()
  const receiver = await startOtlpReceiver()
  onTestFinished(() => receiver.close())
  const child = spawnProgram(['serve', '--port', '0', '--data-dir', dataDir, '--credentials', 'memory'], {
    env: { PATH: process.env.PATH, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (!child.stdout) throw new Error('the program has no output')
  const ended = getEnd(child)
  const [line] = await once(child.stdout, 'data')
  const { baseUrl, adminKey } = JSON.parse(String(line))
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const { id } = JSON.parse(await answer.text())
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
  const span = receiver.spans().find(({ attributes }) => attributes['tollgate.request.id'] === id)
  expect(span).toMatchObject({ name: 'POST /v1/chat/completions' })
})
