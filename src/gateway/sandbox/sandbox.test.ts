import { readFileSync } from 'node:fs'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/chat.ts'
import { ChatCompletion } from '../../shared/chat-completion.ts'
import type { ChatEvent, PlainAnswer } from '../formats/events.ts'
import { StreamNormaliser } from '../formats/openai-chat/normalise-stream.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { startTestUpstream, testTarget } from '../upstream/testing/test-upstream.ts'
import { sandboxCommands } from './commands.ts'
import { answerFromSandbox } from './sandbox.ts'
import { countTokens, tokensOf } from './tokens.ts'

const never = new AbortController().signal
const target = testTarget('', { providerId: 'sandbox', apiFormat: 'sandbox', upstreamModel: 'sandbox-large' })
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Current weather and temperature for a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
}

function ask(content: string, over: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'sandbox-large', messages: [{ role: 'user', content }], ...over }
}

async function answer(request: ChatRequest, over: Partial<Target> = {}): Promise<PlainAnswer> {
  const made = await answerFromSandbox({ ...target, ...over }, request, never)
  if (made.kind !== 'plain') throw new Error('not plain')
  ChatCompletion.parse(made.completion)
  return made
}

async function say(request: ChatRequest): Promise<string> {
  return (await answer(request)).completion.choices[0]?.message.content ?? ''
}

async function events(
  request: ChatRequest,
  over: Partial<Target> = {},
  signal = never,
): Promise<ChatEvent[]> {
  const made = await answerFromSandbox({ ...target, ...over }, { ...request, stream: true }, signal)
  if (made.kind !== 'stream') throw new Error('not a stream')
  const all: ChatEvent[] = []
  for await (const event of made.events) all.push(event)
  return all
}

function textOf(all: ChatEvent[]): string {
  return all
    .flatMap((e) => (e.type === 'chunk' ? e.chunk.choices.map((c) => c.delta.content ?? '') : []))
    .join('')
}

const failing = async (promise: Promise<unknown>): Promise<UpstreamFailure> => {
  const error: unknown = await promise.catch((reason: unknown) => reason)
  if (!(error instanceof UpstreamFailure)) throw new Error('did not fail')
  return error
}

describe('the token rule', () => {
  it.each([
    'Hello, wonderful world!',
    '  a\n\nb  ',
    'Grüße aus 東京 🚆🚆',
    '',
    '   ',
    'x'.repeat(1000),
    '\n',
  ])('cuts %j into tokens that join to the text, none of them empty', (text) => {
    expect(tokensOf(text).join('')).toBe(text)
    expect(tokensOf(text)).not.toContain('')
    expect(countTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
  })
})

describe('a sandbox answer', () => {
  it('is about the last message, and always the same', async () => {
    const request = ask('Tell me about railways in Switzerland')
    const text = await say(request)
    expect(text).toContain('railways')
    expect(await say(request)).toBe(text)
    expect(await say({ ...request, temperature: 2 })).toBe(text)
  })

  it('has other words for other seeds', async () => {
    const texts = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => say(ask('Hello there', { seed }))))
    expect(new Set(texts).size).toBeGreaterThan(1)
  })

  it('reports exactly the tokens it read and said', async () => {
    const { completion, usage } = await answer(ask('One two three'))
    const said = countTokens(completion.choices[0]?.message.content ?? '')
    expect(usage?.asChatUsage).toEqual({ prompt_tokens: 4, completion_tokens: said, total_tokens: 4 + said })
    expect(usage?.buckets).toMatchObject({ input: 4, output: said })
  })

  it.each(['max_tokens', 'max_completion_tokens'])('stops after exactly %s', async (field) => {
    const { completion, usage } = await answer(ask('Write a lot', { [field]: 9 }))
    expect(completion.choices[0]?.finish_reason).toBe('length')
    expect(usage?.buckets.output).toBe(9)
  })

  it('stops at the limit that is enforced where the request gives none', async () => {
    const enforced = { enforcedOutputTokens: 9 }
    expect((await answer(ask('Write a lot'), enforced)).usage?.buckets.output).toBe(9)
    expect((await answer(ask('Write a lot', { max_tokens: 12 }), enforced)).usage?.buckets.output).toBe(12)
  })

  it('stops before a stop sequence', async () => {
    expect(await say(ask('[[sandbox:echo one two three four]]', { stop: ['four', ' three'] }))).toBe(
      'one two',
    )
  })

  it('gives n different choices, and counts them all', async () => {
    const { completion, usage } = await answer(ask('Hello', { n: 3 }))
    const texts = completion.choices.map(({ message }) => message.content ?? '')
    expect(new Set(texts).size).toBe(3)
    expect(usage?.buckets.output).toBe(texts.reduce((sum, text) => sum + countTokens(text), 0))
  })

  it('repeats words of the message, never what a tool would run or write to a file', async () => {
    const message =
      'Why does <execute_command><command>touch x</command></execute_command> fail?\nAction: bash\n```sh\nrm -rf build\n```'
    const text = await say(ask(`${message} And write a function in TypeScript, as {"tool": "bash"}.`))
    expect(text).toContain('touch x')
    expect(text).not.toMatch(/[<{:]\s*(execute|command|bash|"tool)|Action:|^\s*(```|~~~)/m)
    expect(text).toContain('> ```ts')
    expect(await say(ask('What does `rm -rf ~/x "$HOME"/y --force` do?'))).toContain(
      '> What does rm -rf …/x …HOME /y …force do?',
    )
  })

  it('notices images', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } }
    const content = [{ type: 'text' as const, text: 'What is this?' }, image]
    expect(await say({ model: 'sandbox-large', messages: [{ role: 'user', content }] })).toContain('an image')
  })
})

describe('structured answers', () => {
  it('json_object is a JSON object', async () => {
    expect(JSON.parse(await say(ask('Hi', { response_format: { type: 'json_object' } })))).toMatchObject({
      source: 'sandbox',
    })
  })

  it('json_schema is an instance of the schema', async () => {
    const schema = {
      type: 'object',
      required: ['name', 'age', 'mood', 'tags', 'nested', 'when', 'maybe', 'kind', 'self'],
      properties: {
        name: { type: 'string', minLength: 3, maxLength: 5 },
        age: { type: 'integer', minimum: 18, exclusiveMaximum: 30 },
        mood: { enum: ['good', 'bad'] },
        tags: { type: 'array', minItems: 2, items: { type: 'number', multipleOf: 0.5 } },
        nested: { $ref: '#/$defs/point' },
        when: { type: 'string', format: 'date-time' },
        maybe: { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
        kind: { const: 'k' },
        self: { type: ['string', 'null'] },
        optional: { type: 'string' },
      },
      $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
    }
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'person', schema } }
    const made = JSON.parse(await say(ask('Someone in a bad mood, 42 years', { response_format })))
    expect(made).toMatchObject({
      age: 18,
      mood: 'good',
      nested: { x: expect.any(Number) },
      when: expect.stringContaining('T'),
      maybe: false,
      kind: 'k',
      self: expect.any(String),
    })
    expect(made.tags).toHaveLength(2)
    expect(made.name.length).toBeGreaterThanOrEqual(3)
    expect(made.name.length).toBeLessThanOrEqual(5)
    expect(made).not.toHaveProperty('optional')
  })
})

describe('a sandbox stream', () => {
  it('is the plain answer in pieces, well-formed and over within a second', async () => {
    const startedAt = performance.now()
    const all = await events(ask('Tell me about railways'))
    expect(performance.now() - startedAt).toBeLessThan(1500)
    expect(textOf(all)).toBe(await say(ask('Tell me about railways')))
    expect(all.filter((event) => event.type === 'chunk').length).toBeGreaterThan(20)
    expect(all.slice(-2).map((event) => event.type)).toEqual(['usage', 'done'])
    const normaliser = new StreamNormaliser({ id: 'x', created: 1, model: 'x' })
    for (const event of all) expect(normaliser.next(event)).toEqual([event])
  })

  it('ends when it is aborted', async () => {
    const abort = new AbortController()
    const made = await answerFromSandbox(target, ask('Hello', { stream: true }), abort.signal)
    if (made.kind !== 'stream') throw new Error('not a stream')
    let last: ChatEvent | null = null
    for await (const event of made.events) {
      last = event
      abort.abort()
    }
    expect(last).toMatchObject({ type: 'failed', failure: { kind: 'aborted' } })
  })

  it('pleases the strict helper of the official SDK', async () => {
    const server = await startTestUpstream(async (exchange) => {
      exchange.begin()
      const request = exchange.request.json() as ChatRequest
      for (const event of await events(request)) if (event.type === 'chunk') exchange.data(event.chunk)
      exchange.data('[DONE]').end()
    })
    const client = new OpenAI({ apiKey: 'x', baseURL: server.url, maxRetries: 0 })
    const final = await client.chat.completions
      .stream({
        model: 'm',
        messages: [{ role: 'user', content: '[[sandbox:tool get_weather]]' }],
        tools: [weather],
      })
      .finalChatCompletion()
    expect(final.choices[0]?.message.tool_calls?.map((call) => call.type)).toEqual(['function'])
    await server.close()
  })
})

describe('a command in the prompt', () => {
  it('stands in the manual', () => {
    const manual = readFileSync('docs/api.md', 'utf8')
    for (const { example, effect } of sandboxCommands)
      expect(manual).toContain(`| \`${example}\` | ${effect} |`)
  })

  it('fails with the status asked for', async () => {
    expect(await failing(answer(ask('Hi [[sandbox:error 503]]')))).toMatchObject({
      kind: 'status',
      status: 503,
    })
    expect(await failing(events(ask('[[sandbox:error 400]]')))).toMatchObject({ status: 400 })
  })

  it('breaks a stream off in the middle', async () => {
    const all = await events(ask('[[sandbox:cut]] Tell me a story'))
    expect(all.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'network' } })
    expect(textOf(all).length).toBeGreaterThan(10)
    expect(await failing(answer(ask('[[sandbox:cut]]')))).toMatchObject({ kind: 'network' })
  })

  it('stalls until the stall limit', async () => {
    const all = await events(ask('[[sandbox:stall]] Tell me a story'), { stallTimeoutMs: 20 })
    expect(all.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
  })

  it('waits, at most until the first-byte limit', async () => {
    const startedAt = performance.now()
    await answer(ask('[[sandbox:slow 60]]'))
    expect(performance.now() - startedAt).toBeGreaterThan(50)
    expect(await failing(answer(ask('[[sandbox:slow 60]]'), { firstByteTimeoutMs: 20 }))).toMatchObject({
      kind: 'timeout',
    })
  })

  it('answers with so many tokens', async () => {
    const { usage, completion } = await answer(ask('[[sandbox:tokens 200]]'))
    expect(usage?.buckets.output).toBe(200)
    expect(countTokens(completion.choices[0]?.message.content ?? '')).toBe(200)
  })

  it('echoes, filters, and keeps its usage to itself', async () => {
    expect(await say(ask('[[sandbox:echo a  b\nc]]'))).toBe('a  b\nc')
    expect((await answer(ask('[[sandbox:filter]] Hi'))).completion.choices[0]?.finish_reason).toBe(
      'content_filter',
    )
    expect((await answer(ask('[[sandbox:no-usage]] Hi'))).usage).toBeNull()
    expect((await events(ask('[[sandbox:no-usage]] Hi'))).some((event) => event.type === 'usage')).toBe(false)
  })
})
