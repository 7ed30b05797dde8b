import { expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { openaiChat } from '../formats/openai-chat/codec.ts'
import { replayDefaults } from '../formats/testing/replay.ts'
import { testCompletion, testTarget } from '../upstream/testing/test-upstream.ts'
import { fanOut } from './fan-out-n.ts'

it('if the choices were served in several tiers, no price of one tier is applied to all', async () => {
  const target = testTarget('http://127.0.0.1:1', { quirks: { noN: true } })
  const request: ChatRequest = { model: 'x', n: 3, messages: [{ role: 'user', content: 'Hi' }] }
  const tiers = ['default', 'flex', 'default']
  const { signal } = new AbortController()
  const answer = await fanOut({ calls: 3, request, signal, answered: [] }, async () => {
    const body = { ...testCompletion('Hi'), service_tier: tiers.pop() }
    const read = openaiChat.plainAnswer(body, target, replayDefaults)
    if (read instanceof UpstreamFailure) throw read
    return read
  })
  expect(answer).toMatchObject({ kind: 'plain', usage: { otherTier: 'several', buckets: { input: 15 } } })
})
