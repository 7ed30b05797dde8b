import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../gateway/testing/random.ts'
import { ScriptedPromptCache } from '../../../gateway/testing/scripted-prompt-cache.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { CacheCause } from '../api/prompts.ts'
import { CacheDoctor } from './cache-doctor.ts'
import { readPromptShape } from './prompt-shape.ts'

type Messages = ChatRequest['messages']

const MINUTE = 60_000
const words = (count: number, seed: string) =>
  Array.from({ length: count }, (_, at) => `${seed}${at}`).join(' ')

/** A run of an agent at a vendor that caches by Anthropic's rules, and the doctor of its requests. */
class Run {
  now = 0
  model = 'claude-sonnet-5'
  tools = ['read', 'write', 'bash', 'mcp__git__log'].map((name) => ({
    type: 'function' as const,
    function: { name, description: words(300, name), parameters: { type: 'object', properties: {} } },
  }))
  system = words(1_500, 'rule')
  messages: Messages = [{ role: 'user', content: 'Begin.' }]
  readonly #vendor = new ScriptedPromptCache()
  readonly #doctor: CacheDoctor
  readonly #session: string

  constructor(session: string, doctor: CacheDoctor) {
    this.#session = session
    this.#doctor = doctor
  }

  step(): void {
    const id = `call_${this.messages.length}`
    this.messages = [
      ...this.messages,
      { role: 'assistant', content: null, tool_calls: [{ id, function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: words(200, `${id}-`) },
    ]
  }

  /** The cause of a break, or null. `evicted`: the vendor has lost everything. */
  ask({ evicted = false } = {}): CacheCause | null {
    this.now += MINUTE
    const mark = { cache_control: { type: 'ephemeral' } }
    const body = {
      model: this.model,
      tools: this.tools,
      system: [{ type: 'text', text: this.system, ...mark }],
      messages: this.messages.map((message, at) => ({
        role: message.role,
        content: [
          { type: 'text', text: JSON.stringify(message), ...(at >= this.messages.length - 2 && mark) },
        ],
      })),
    }
    const vendor = evicted ? new ScriptedPromptCache() : this.#vendor
    const { input, read, write5m, write1h } = vendor.read(body, this.now)
    const usage = { ...NO_USAGE, input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h }
    const request = {
      messages: [{ role: 'system' as const, content: this.system }, ...this.messages],
      tools: this.tools,
    }
    const found = this.#doctor.check({
      ...{ sessionId: this.#session, agent: null, servedBy: this.model, usage, at: this.now },
      shape: readPromptShape(request),
    })
    return found?.cause ?? null
  }
}

type Break = (run: Run) => CacheCause | null

/** Each breaks the cache in its way and makes the request that finds out. */
const BREAKS: Readonly<Record<CacheCause, Break>> = {
  lifetime: (run) => {
    run.now += 6 * MINUTE
    return run.ask()
  },
  model: (run) => {
    run.model = 'claude-opus-5'
    return run.ask()
  },
  tools: (run) => {
    run.tools = [...run.tools, ...run.tools.slice(0, 1)].map((tool, at) => ({
      ...tool,
      function: { ...tool.function, name: `${tool.function.name}${at}` },
    }))
    return run.ask()
  },
  'tool-order': (run) => {
    run.tools = run.tools.toReversed()
    return run.ask()
  },
  system: (run) => {
    run.system = `It is 12:0${run.messages.length % 10}. ${run.system}`
    return run.ask()
  },
  history: (run) => {
    run.messages = run.messages.map((message, at) =>
      at === 2 ? { ...message, content: 'Removed.' } : message,
    )
    return run.ask()
  },
  compaction: (run) => {
    const [first, ...others] = run.messages
    if (!first) return null
    run.messages = [first, { role: 'user', content: words(300, 'summary') }, ...others.slice(-4)]
    return run.ask()
  },
  unknown: (run) => run.ask({ evicted: true }),
}

describe('the cause of a break', () => {
  it('is right for 80 breaks in random runs, and there is no other break', () => {
    const random = createRandom(1)
    const doctor = new CacheDoctor()
    const causes = Object.keys(BREAKS) as CacheCause[]
    for (let number = 0; number < 80; number += 1) {
      const run = new Run(`ses_${number}`, doctor)
      const cause = causes[number % causes.length] ?? 'unknown'
      const steps = random.between(8, 19)
      for (let step = 0; step < steps; step += 1) {
        expect(run.ask(), `run ${number}, before the break`).toBeNull()
        run.step()
      }
      expect(BREAKS[cause](run), `run ${number}`).toBe(cause)
      for (let step = 0; step < 5; step += 1) {
        run.step()
        expect(run.ask(), `run ${number}, after the break`).toBeNull()
      }
    }
  })
})

describe('no break', () => {
  const usage = (read: number, written: number) => ({ ...NO_USAGE, cacheRead: read, cacheWrite5m: written })
  const base = { sessionId: 'ses_1', agent: null, servedBy: 'claude', at: 0 }
  const readShape = (messages: Messages, toolCount: number, system = 'Be brief.') =>
    readPromptShape({
      messages: [{ role: 'system', content: system }, ...messages],
      tools: Array.from({ length: toolCount }, (_, at) => ({
        type: 'function',
        function: { name: `t${at}` },
      })),
    })
  const user = (content: string): Messages[number] => ({ role: 'user', content })
  const assistant = (content: string): Messages[number] => ({ role: 'assistant', content })

  it('is a side call, a sub-agent or a sibling with the same beginning', () => {
    const doctor = new CacheDoctor()
    const messages = [user('env'), user('task'), assistant('a'), user('b')]
    const check = (
      shape: ReturnType<typeof readShape>,
      agent: { id: string; role: 'subagent' } | null = null,
    ) => doctor.check({ ...base, agent, shape, usage: usage(0, 20_000) })
    expect(check(readShape(messages, 3))).toBeNull()
    expect(check(readShape([user('env'), user('title?')], 0, 'Name it.'))).toBeNull()
    expect(check(readShape([user('env'), user('other task'), assistant('x'), user('y')], 3))).toBeNull()
    expect(check(readShape([user('env'), user('task')], 3))).toBeNull()
    expect(check(readShape(messages, 3), { id: 'sub', role: 'subagent' })).toBeNull()
  })

  it('is what the vendor has read from its cache all the same', () => {
    const doctor = new CacheDoctor()
    const messages = [user('one'), assistant('a'), user('two')]
    doctor.check({ ...base, shape: readShape(messages, 3), usage: usage(0, 20_000) })
    const longer = [...messages, assistant('b'), user('three')]
    expect(doctor.check({ ...base, shape: readShape(longer, 4), usage: usage(20_000, 100) })).toBeNull()
    expect(doctor.check({ ...base, shape: readShape(longer, 5), usage: usage(100, 20_000) })).toEqual({
      cause: 'tools',
      lostTokens: 20_000,
    })
  })
})
