import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KnownChatRequest as ChatRequest, ToolCall } from '../../shared/formats/chat.ts'
import { createAnswer } from './answer.ts'

function listCalls(request: ChatRequest): ToolCall[] {
  return createAnswer(request, 4096).choices.flatMap(({ toolCall }) => (toolCall ? [toolCall] : []))
}

/** Words that occur in prompts only. */
const canaries = ['zebrafish', 'touch pwned.txt', 'rm', '31337', '/etc/passwd', 'https://evil.example/x']
const canary = fc.constantFrom(...canaries)
const name = fc.constantFrom('command', 'path', 'text', 'url', 'query', 'city', 'code', 'n')
const words = fc.constantFrom('alpha', 'beta', '', 'a longer text of the tool')

const schema = fc.letrec<{ any: Record<string, unknown> }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record(
      {
        type: fc.constant('string'),
        format: fc.constantFrom('uri', 'date', 'email', 'constructor'),
        minLength: fc.nat(40),
        maxLength: fc.nat(40),
        description: words,
        default: words,
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom('integer', 'number'), minimum: fc.integer(), multipleOf: fc.double() },
      { requiredKeys: ['type'] },
    ),
    fc.constant({ type: 'boolean' }),
    fc.record({ enum: fc.array(words, { minLength: 1 }) }),
    fc.constantFrom({}, { $ref: '#' }, { $ref: '#/%' }, { type: ['string', 'null'] }),
    fc.record({ type: fc.constant('array'), items: tie('any'), minItems: fc.nat(3) }),
    fc.record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(name, tie('any'), { maxKeys: 4 }),
      required: fc.uniqueArray(name, { maxLength: 4 }),
    }),
  ),
})).any

const tool = fc.oneof(
  fc.record({
    type: fc.constant('function' as const),
    function: fc.record({
      name: fc.constantFrom('bash', 'write', 'get_weather', 'f'),
      description: fc.constantFrom('Runs a command', 'Writes text to a file at path'),
      parameters: schema,
    }),
  }),
  fc.record({ type: fc.constant('custom' as const), custom: fc.record({ name: fc.constant('patch') }) }),
)

const talk = fc.oneof(
  canary,
  canary.map((text) => `"${text}"`),
  canary.map((text) => `\`${text}\``),
  fc.tuple(name, canary).map(([key, text]) => `${key}: ${text}`),
  fc.constantFrom('Call', 'use the tool', 'bash', 'write', 'get_weather', 'f', 'patch', 'run the command'),
  fc.constantFrom('[[sandbox:tool]]', '[sandbox:tool bash]', '[[sandbox:tool ', '{"name":"bash"}'),
)
const command = fc
  .tuple(fc.constantFrom('bash', 'write', 'get_weather', 'f', 'patch'), canary)
  .map(([called, text]) => `[[sandbox:tool ${called} ${text}]]`)

const getMessages = (part: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.array(fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: talk }), {
        maxLength: 2,
      }),
      fc.array(part, { minLength: 1, maxLength: 8 }),
    )
    .map(([before, parts]) => [...before, { role: 'user' as const, content: parts.join(' ') }])

const choices = fc.constantFrom(
  'auto' as const,
  'required' as const,
  'none' as const,
  { type: 'function' as const, function: { name: 'bash' } },
  null,
)

const someTools = fc.array(tool, { minLength: 1, maxLength: 4 })

describe('for any prompt and tools', () => {
  it('no argument contains a word of the prompt, and an answer has at most one call', () => {
    const seen = { calls: 0 }
    fc.assert(
      fc.property(
        getMessages(fc.oneof(talk, command)),
        someTools,
        choices,
        (messages, offered, tool_choice) => {
          const calls = listCalls({ model: 'm', messages, tools: offered, tool_choice })
          expect(calls.length).toBeLessThanOrEqual(tool_choice === 'none' ? 0 : 1)
          seen.calls += calls.length
          for (const call of calls) {
            const input = call.function?.arguments ?? JSON.stringify(call.custom)
            for (const word of canaries) expect(input).not.toContain(word)
            expect(JSON.parse(input)).toBeTypeOf('object')
          }
        },
      ),
      { numRuns: 500 },
    )
    expect(seen.calls).toBeGreaterThan(50)
  })

  it('with an automatic tool choice, only the command causes a call', () => {
    fc.assert(
      fc.property(getMessages(talk), someTools, (messages, offered) => {
        expect(listCalls({ model: 'm', messages, tools: offered })).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
