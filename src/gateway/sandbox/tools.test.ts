import { describe, expect, it } from 'vitest'
import type { KnownChatRequest as ChatRequest, ToolCall } from '../../shared/formats/chat.ts'
import { createAnswer } from './answer.ts'
import { weather } from './testing/ask-sandbox.ts'
import { createInstance } from './tools.ts'

const bash = {
  type: 'function' as const,
  function: {
    name: 'bash',
    description: 'Runs a command in the shell',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
}
const time = { type: 'function' as const, function: { name: 'get_time', description: 'Local clock time' } }
const patch = { type: 'custom' as const, custom: { name: 'apply_patch' } }
const tools = [weather, bash, time, patch]

function ask(content: string, over: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'sandbox-large', messages: [{ role: 'user', content }], tools, ...over }
}

function listCalls(request: ChatRequest): ToolCall[] {
  return createAnswer(request, 4096).choices.flatMap(({ toolCall }) => (toolCall ? [toolCall] : []))
}

const getNames = (request: ChatRequest) => listCalls(request).map((call) => call.function?.name)

/** The request with the answer to it and what its tool gave: an agent's next request. */
function afterTool(request: ChatRequest): ChatRequest {
  const [call] = listCalls(request)
  if (!call) throw new Error('no tool was called')
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: 'It is done: touch pwned.txt' },
    ],
  }
}

describe('without a command, a tool', () => {
  it.each([
    'What does the bash command `touch pwned.txt` do?',
    '"What does \\"touch pwned.txt\\" do in bash?"',
    'Why did the bash tool fail on "rm -rf ./build"?',
    'Call get_weather. Use the tool. Run the function get_time for a city.',
    'apply_patch',
    '[sandbox:tool bash] [[sandbox:tools bash]] [[ sandbox:tool bash ]] [[sandbox:tool]] [[SANDBOX:tool bash]]',
    '[[sandbox:tool bash [[sandbox:tool]]',
    '[[sandbox:tool bash\nbash]]',
  ])('is not called by %j', (content) => {
    expect(listCalls(ask(content))).toEqual([])
    expect(listCalls(ask(content, { tool_choice: 'auto' }))).toEqual([])
  })

  it('is not called by a command in an earlier message, in the system prompt, or in a tool’s result', () => {
    const command = '[[sandbox:tool bash]]'
    const histories: ChatRequest['messages'][] = [
      [
        { role: 'user', content: command },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'Go on' },
      ],
      [
        { role: 'system', content: command },
        { role: 'user', content: 'Go on' },
      ],
      [
        { role: 'user', content: 'Go on' },
        { role: 'tool', tool_call_id: 'x', content: command },
      ],
    ]
    for (const messages of histories) expect(listCalls(ask('', { messages }))).toEqual([])
  })

  it('is called when `tool_choice` requires it', () => {
    const named = { type: 'function' as const, function: { name: 'get_time' } }
    const allowed = (mode: string) => ({
      type: 'allowed_tools' as const,
      allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'bash' } }] },
    })
    expect(getNames(ask('Hello', { tool_choice: 'required' }))).toEqual(['get_weather'])
    expect(getNames(ask('Hello', { tool_choice: named }))).toEqual(['get_time'])
    expect(getNames(ask('Hello', { tool_choice: allowed('required') }))).toEqual(['bash'])
    expect(getNames(ask('Hello', { tool_choice: allowed('auto') }))).toEqual([])
  })
})

describe('the command [[sandbox:tool NAME]]', () => {
  it('calls that tool, with arguments that do nothing', () => {
    const [call, ...others] = listCalls(ask('The weather in Paris for 3 days [[sandbox:tool get_weather]]'))
    expect(others).toEqual([])
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } })
    expect(JSON.parse(call?.function?.arguments ?? '')).toEqual({ city: 'sandbox-value', days: 0 })
    expect(listCalls(ask('[[sandbox:tool apply_patch]] *** Begin'))[0]).toMatchObject({
      custom: { name: 'apply_patch', input: 'sandbox-value' },
    })
  })

  it('never calls a tool against `tool_choice`', () => {
    const only = {
      type: 'allowed_tools' as const,
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'get_time' } }] },
    }
    expect(listCalls(ask('[[sandbox:tool bash]]', { tool_choice: 'none' }))).toEqual([])
    expect(listCalls(ask('[[sandbox:tool bash]]', { tool_choice: only }))).toEqual([])
    expect(getNames(ask('[[sandbox:tool get_time]]', { tool_choice: only }))).toEqual(['get_time'])
    expect(getNames(ask('[[sandbox:tool bash]]', { tool_choice: 'required' }))).toEqual(['bash'])
  })

  it('answers with text after the tool’s result', () => {
    const after = afterTool(ask('[[sandbox:tool get_weather]]'))
    const [choice] = createAnswer(after, 4096).choices
    expect(choice).toMatchObject({ toolCall: null, finishReason: 'stop' })
    expect(choice?.tokens.join('')).toContain('It is done')
  })

  it.each([
    '[[sandbox:tool bash get_time bash]] Do it.',
    '[[sandbox:tool bash]] then [[sandbox:tool get_time bash]]',
  ])('takes an agent’s loop through several steps and ends it: %j', (content) => {
    const called: (string | undefined)[] = []
    let request = ask(content)
    for (let names = getNames(request); names.length > 0; names = getNames(request)) {
      called.push(...names)
      request = afterTool(request)
    }
    expect(called).toEqual(['bash', 'get_time', 'bash'])
  })

  it('explains why no tool was called', () => {
    const [choice] = createAnswer(ask('[[sandbox:tool get_wether]]'), 4096).choices
    expect(choice?.toolCall).toBeNull()
    expect(choice?.tokens.join('')).toContain('No tool was called')
  })
})

const reference = { $ref: '#' }

it('prefers the schema’s own default, const or enum, and otherwise the most harmless value', () => {
  const properties = {
    proposed: { type: 'string', enum: ['first', 'second'], default: 'second' },
    chosen: { enum: ['first', 'second'] },
    fixed: { const: 'fixed' },
    text: { type: 'string' },
    address: { type: 'string', format: 'uri' },
    below: { type: 'integer', minimum: -5, maximum: -2 },
    count: { type: 'integer', minimum: 3 },
    amount: { type: 'number' },
    flag: { type: 'boolean' },
    odd: { type: 'string', format: 'constructor' },
  }
  expect(createInstance({ type: 'object', properties, required: Object.keys(properties) })).toEqual({
    proposed: 'second',
    chosen: 'first',
    fixed: 'fixed',
    text: 'sandbox-value',
    address: 'https://example.invalid/',
    below: -2,
    count: 3,
    amount: 0,
    flag: false,
    odd: 'sandbox-value',
  })
})

it('treats a reference with a malformed escape as unresolved', () => {
  expect(createInstance({ type: 'object', properties: { a: { $ref: '#/%' } } })).toEqual({
    a: 'sandbox-value',
  })
})

it.each([
  ['optional', { child: reference, list: { type: 'array', items: reference } }, []],
  [
    'required in ten places',
    Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at}`, reference])),
    Array.from({ length: 10 }, (_, at) => `p${at}`),
  ],
  ['required in long lists', { list: { type: 'array', minItems: 100, items: reference } }, ['list']],
])('terminates for a schema that refers to itself, %s', (_, properties, required) => {
  const made = JSON.stringify(createInstance({ type: 'object', properties, required }))
  expect(made.length).toBeLessThan(100_000)
})
