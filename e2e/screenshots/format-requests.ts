// Requests to the endpoints of every API format, so that the log has each.
import { expect } from '@playwright/test'
import { z } from 'zod'
import { KeyCreated } from '../../src/shared/api/keys.ts'
import type { App } from '../app.ts'
import { startAnsweringServer } from './answering-server.ts'

const anything = z.unknown()
const messages = [{ role: 'user', content: 'When does the bridge open?' }]

/** Each path with its body. The log shows the last one first. */
const requests: readonly (readonly [string, object])[] = [
  ['/v1/chat/completions', { model: 'gpt-5.5', messages }],
  ['/v1/chat/completions', { model: 'claude-sonnet-5-5', messages }],
  ['/v1/completions', { model: 'sandbox-small', prompt: 'The bridge' }],
  ['/v1beta/models/sandbox-large:generateContent', { contents: [{ parts: [{ text: 'Hello.' }] }] }],
  ['/v1/messages', { model: 'sandbox-large', max_tokens: 200, messages }],
  [
    '/v1/messages',
    {
      model: 'claude-sonnet-5-5',
      max_tokens: 1_000,
      messages,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
  ],
  ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'The bridge' }],
  ['/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input: 'The bridge opens at noon.' }],
  ['/v1/responses', { model: 'gpt-5.5', input: 'When?', service_tier: 'priority' }],
]

/** Adds two providers that a server on this computer stands for, and sends every kind of request. */
export async function addFormatRequests({ send, state }: App): Promise<void> {
  const server = await startAnsweringServer()
  try {
    const credential = 'sk-test-0000000000'
    for (const id of ['openai', 'anthropic']) {
      await send('PUT', `/v1/providers/${id}`, { credential, baseUrl: server.baseUrlFor(id) }, anything)
      await send('POST', `/v1/providers/${id}/models`, {}, anything)
    }
    const { secret } = await send('POST', '/v1/keys', { name: 'Agents', scope: 'full' }, KeyCreated)
    const { baseUrl } = await state()
    const call = (path: string, body: string | FormData, type: Record<string, string>) =>
      fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, ...type },
        body,
      })
    const form = new FormData()
    form.set('model', 'whisper-1')
    form.set('file', new Blob([new Uint8Array(4_000)]), 'voice.mp3')
    expect((await call('/v1/audio/transcriptions', form, {})).status).toBe(200)
    for (const [path, body] of requests) {
      const response = await call(path, JSON.stringify(body), { 'content-type': 'application/json' })
      // The server has no speech, so that one request fails.
      expect.soft(response.ok || path.endsWith('/speech'), await response.text()).toBe(true)
    }
  } finally {
    server.close()
  }
}
