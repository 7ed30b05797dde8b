import { describe, expect, it } from 'vitest'
import { testChunk, testTarget } from '../../../upstream/testing/test-upstream.ts'
import { StreamNormalizer } from '../../chat/normalize.ts'
import { openaiChat } from '../codec.ts'
import { ChatStreamWriter } from './codec.ts'

const identity = { id: 'req_1', model: 'acme' }
const usage = { prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 }
const tier = { service_tier: 'priority', system_fingerprint: 'fp_1' }

/** The `data` payloads sent to a client for those of an upstream, its usage chunk last. */
function relay(wantsUsage: boolean, ...sent: (object | string)[]): string[] {
  const parser = openaiChat.streamParser(testTarget('http://127.0.0.1:1'), {
    id: 'x',
    created: 5,
    model: 'x',
  })
  const normalizer = new StreamNormalizer({ ...identity, created: 5 })
  const context = { requestId: 'req_1', model: 'acme', created: 5, body: {} }
  const writer = new ChatStreamWriter(context, wantsUsage)
  const payloads = sent.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  const lines: string[] = []
  for (const data of payloads)
    for (const event of parser
      .event({ type: 'event', event: null, data })
      .flatMap((e) => normalizer.next(e))) {
      if (event.type === 'chunk') lines.push(writer.chunk(event.chunk, event.raw))
      if (event.type === 'usage' && event.members) writer.recordUsageMembers(event.members)
    }
  lines.push(writer.end(usage).replace('data: [DONE]\n\n', ''))
  return lines.filter((line) => line !== '').map((line) => line.slice('data: '.length).trimEnd())
}

const chunkWithText = { ...testChunk({ role: 'assistant', content: ',"usage":null' }), usage: null }
const lastChunk = { ...testChunk({}, 'stop'), usage: null }

describe('the usage chunk', () => {
  it("keeps the upstream's other members, with our id, model and usage", () => {
    const last = {
      ...testChunk({}),
      choices: [],
      usage: { ...usage, extra: 1 },
      ...tier,
      obfuscation: 'xyz',
      vendors: [1],
    }
    const chunk = JSON.parse(relay(true, chunkWithText, lastChunk, last).at(-1) ?? '')
    expect(chunk).toEqual({ ...last, ...identity, usage })
  })

  it('is created from a chunk that has usage and a choice', () => {
    const last = { ...testChunk({}, 'stop'), usage, ...tier }
    expect(JSON.parse(relay(true, chunkWithText, last).at(-1) ?? '')).toEqual({
      ...identity,
      ...tier,
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      choices: [],
      usage,
    })
  })

  it('has the creation time of the chunks before it', () => {
    const chunks = relay(true, chunkWithText, lastChunk).map((text) => JSON.parse(text).created)
    expect(chunks).toEqual([1_760_000_000, 1_760_000_000, 1_760_000_000])
    expect(JSON.parse(relay(true)[0] ?? '').created).toBe(5)
  })

  it('is not sent to a client that did not request it', () => {
    expect(relay(false, { ...testChunk({}), choices: [], usage })).toEqual([])
  })
})

describe('a usage of null', () => {
  it('is removed for a client that did not request usage, and nothing else is changed', () => {
    const payload = JSON.stringify(chunkWithText)
    expect(relay(false, chunkWithText, lastChunk)).toEqual(
      [chunkWithText, lastChunk].map((chunk) =>
        JSON.stringify({ ...chunk, ...identity }).replace(/,"usage":null}$/, '}'),
      ),
    )
    expect(payload).toContain('"usage":null')
    const spaced = JSON.stringify(chunkWithText).replace(',"usage":null}', ', "usage" : null , "more": 1}')
    expect(relay(false, spaced)).toEqual([
      JSON.stringify({ ...chunkWithText, ...identity }).replace(/,"usage":null}$/, ' , "more": 1}'),
    ])
  })

  it('is removed where it is the first member, or is also a nested one', () => {
    const { usage: _, ...rest } = chunkWithText
    for (const chunk of [
      { usage: null, ...rest },
      { ...chunkWithText, meta: { a: 1, usage: null } },
    ]) {
      const [line = ''] = relay(false, chunk)
      expect(JSON.parse(line)).toEqual({ ...chunk, ...identity, usage: undefined })
    }
  })

  it('is removed where the upstream sends usage twice', () => {
    const twice = JSON.stringify(chunkWithText).replace(',"usage":null}', ',"usage":{},"usage":null}')
    const [line = ''] = relay(false, twice)
    expect(line).not.toContain('"usage":{}')
    expect(JSON.parse(line)).not.toHaveProperty('usage')
  })

  it('is unchanged for a client that requested usage', () => {
    const [line] = relay(true, chunkWithText)
    expect(line).toBe(JSON.stringify({ ...chunkWithText, ...identity }))
  })
})
