import { LLMock } from '@copilotkit/aimock'
import { expect } from 'vitest'
import type { TestHandler } from '../../upstream/testing/test-upstream.ts'

/** A third-party mock that reasons, calls two tools together and then answers. `forward` sends it each request. */
export function createWeatherMock(): { mock: LLMock; forward: TestHandler } {
  const mock = new LLMock({ port: 0 })
  const toolCalls = ['get_weather', 'get_time'].map((name) => ({ name, arguments: '{"city":"Rom"}' }))
  const thought = { reasoning: 'I have tools for both.', reasoningSignature: 'c2lnbmVk' }
  mock.on({ userMessage: 'Weather', hasToolResult: false }, { toolCalls, ...thought })
  mock.on({ userMessage: 'Weather', hasToolResult: true }, { content: 'Sunny at noon.' })
  mock.onMessage('tomorrow', { content: 'Rain.' })
  mock.onMessage('Sum', { content: 'Sun, then rain.' })
  // The mock's own journal has only the parsed request.
  const forward: TestHandler = async ({ request, response }) => {
    const answer = await fetch(mock.url + request.path, {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      body: request.body,
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
  return { mock, forward }
}

/** Expects the turns of a conversation with the mock: its calls, then its answers. */
export function expectWeatherTurns(
  turns: readonly { text: string; calls: readonly { name: string; args: unknown }[] }[],
): void {
  expect(turns.map(({ text }) => text)).toEqual(['', 'Sunny at noon.', 'Rain.', 'Sun, then rain.'])
  expect(turns[0]?.calls).toEqual([
    { name: 'get_weather', args: { city: 'Rom' } },
    { name: 'get_time', args: { city: 'Rom' } },
  ])
}
