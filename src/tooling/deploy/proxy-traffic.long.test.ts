// Traffic through HAProxy and nginx in front of one gateway, with the configurations in resources/deploy (docs/scaling.md).
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proxies } from './proxies.ts'
import { chatAt, fetchAny, type ProxiedGateways, startProxied } from './testing/proxied.ts'

const STREAMS = 1_000
/** More than the 60 seconds after which proxies give up by default. */
const SILENCE_MS = 65_000

describe.each(proxies)('$name in front of one gateway', (proxy) => {
  let proxied: ProxiedGateways
  let url = ''
  let secret = ''
  let admin = ''
  beforeAll(async () => {
    proxied = await startProxied(proxy, [1])
    url = proxied.url(1)
    admin = proxied.gateway(0).admin
    const limits = { requestsPerMinute: 100_000, tokensPerMinute: 1_000_000_000 }
    const body = { planLimits: { 'pay-as-you-go': limits } }
    await proxied.gateway(0).call('PATCH', '/v1/settings', { body })
    secret = (await proxied.gateway(0).createKey({ name: 'Traffic', scope: 'full', guard: 'off' })).secret
  }, 240_000)
  afterAll(() => proxied.close(), 60_000)

  test('a model may think for longer than a minute', async () => {
    const answer = await chatAt(url, secret, `[[sandbox:slow ${SILENCE_MS}]] [[sandbox:echo Done]]`)
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Done' } }] })
  }, 120_000)

  test(`${STREAMS} streams at a time are all complete`, async () => {
    const answers = Array.from({ length: STREAMS }, async () => {
      const answer = await chatAt(url, secret, '[[sandbox:tokens 20]]', { body: { stream: true } })
      const received = await answer.text()
      return received.endsWith('data: [DONE]\n\n')
        ? answer.status
        : `${answer.status}: ${received.slice(-200)}`
    })
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
  }, 120_000)

  test('a prompt of 30 MB passes, and one that is larger than the gateway takes is 413', async () => {
    const image = (bytes: number) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '[[sandbox:echo Seen]]' },
            {
              type: 'image_url',
              image_url: { url: `data:image/png;base64,${'A'.repeat(Math.floor(bytes / 4) * 4)}` },
            },
          ],
        },
      ],
    })
    expect((await chatAt(url, secret, '', { body: image(30_000_000) })).status).toBeLessThan(500)
    const large = await chatAt(url, secret, '', { body: image(40_000_000) }).catch(() => null)
    // A proxy may end the connection while the client still sends.
    if (large) expect(large.status).toBe(413)
  }, 60_000)

  test('the cost of a stream is in its trailers through HAProxy; nginx drops them, and include_usage has it', async () => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, te: 'trailers' },
      rejectUnauthorized: false,
    })
    const messages = [{ role: 'user', content: 'Hello' }]
    const options = { stream: true, stream_options: { include_usage: true } }
    sent.end(JSON.stringify({ model: 'sandbox-small', messages, ...options }))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const body = await text(answer)
    const cost = Number(/"cost":([\d.e-]+)/.exec(body)?.[1])
    expect(cost).toBeGreaterThan(0)
    const trailer = answer.trailers['x-service-cost-usd']
    if (proxy.name === 'nginx') expect(trailer).toBeUndefined()
    else expect(Number(trailer)).toBeCloseTo(cost, 5)
  })

  test('the window gets its events as they happen', async () => {
    const abort = new AbortController()
    const headers = { authorization: `Bearer ${admin}` }
    const events = await fetchAny(`${url}/v1/events`, { headers, signal: abort.signal })
    const reader = events.body?.getReader()
    await chatAt(url, secret, 'Hello')
    let received = ''
    while (!received.includes('event: request')) {
      const part = await reader?.read()
      if (!part || part.done) break
      received += new TextDecoder().decode(part.value)
    }
    expect(received).toContain('event: request')
    abort.abort()
  })

  test('what a client writes into X-Forwarded-* changes nothing', async () => {
    const forged = {
      ...{ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'https' },
      ...{ forwarded: 'for=127.0.0.1;host=localhost', 'x-real-ip': '127.0.0.1' },
    }
    expect((await fetchAny(`${url}/v1/keys`, { headers: forged })).status).toBe(401)
    const served = await chatAt(url, secret, 'Hello', {
      headers: { ...forged, authorization: `Bearer ${secret}` },
    })
    expect(served.status).toBe(200)
  })
})
