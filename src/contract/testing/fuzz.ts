// Request bodies for the fuzzer: valid ones, valid ones with a defect, and arbitrary JSON.
import fc from 'fast-check'

export interface Case {
  path: string
  method: 'POST' | 'PATCH'
  /** The bytes of the body as text. */
  body: string
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
/** A valid body, as fast-check generates it. */
type Fields = { [name: string]: unknown }

/** Values that often break parsers, validators and arithmetic. */
const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    ...[null, true, false, 0, -0, -1, 1.5, 1e15, 1e300, -1e300, Number.MAX_SAFE_INTEGER, 5e-324],
    ...['', ' ', '\0', '\u2028', '\ud800', '🦉', '__proto__', 'constructor', 'NaN', 'x'.repeat(300)],
    ...[[], {}, [[]], [null], { type: null }, { toString: 1 }, { length: -1 }],
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  // Any JSON, up to three levels deep.
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value))),
)

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({ url: text, detail: fc.constantFrom('low', 'auto') }),
  }),
)
const content = fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 3 }))
const message: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content }),
  fc.record({ role: fc.constant('assistant'), content: fc.option(content) }),
  fc.record({ role: fc.constant('tool'), content, tool_call_id: text }),
)
const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({
    name: fc.constantFrom('f', 'look_up'),
    parameters: fc.dictionary(text, odd, { maxKeys: 3 }),
  }),
})
const chat = fc.record(
  {
    model: fc.constantFrom('sandbox-small', 'sandbox-large', 'sandbox/sandbox-small', 'unlimited', 'none'),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    max_tokens: fc.constantFrom(1, 3, 8),
    stream: fc.boolean(),
    stream_options: fc.record({ include_usage: fc.boolean() }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    n: fc.integer({ min: 1, max: 8 }),
    stop: fc.array(text, { maxLength: 4 }),
    seed: fc.integer(),
    tools: fc.array(tool, { maxLength: 2 }),
    tool_choice: fc.constantFrom('auto', 'none', 'required'),
    response_format: fc.constantFrom<Json>(
      { type: 'json_object' },
      {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    ),
    user: text,
  },
  { requiredKeys: ['model', 'messages', 'max_tokens'] },
)
const key = fc.record(
  {
    name: text,
    scope: fc.constantFrom('full', 'admin', 'read-only', 'completions-only'),
    spendLimitUsd: fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
    rpmLimit: fc.option(fc.integer({ min: 1 })),
    tpmLimit: fc.option(fc.integer({ min: 1 })),
  },
  { requiredKeys: ['name', 'scope'] },
)
const estimate = fc.record({
  model: fc.constantFrom('sandbox-small', 'sandbox-large', 'none'),
  monthlyInputTokens: fc.integer({ min: 0, max: 1e15 }),
  monthlyOutputTokens: fc.integer({ min: 0, max: 1e15 }),
})

const inResponses = fc.oneof(
  text,
  fc.array(
    fc.oneof<fc.Arbitrary<unknown>[]>(
      fc.record({ role: fc.constantFrom('user', 'assistant', 'developer'), content: text }),
      fc.record({
        type: fc.constant('message'),
        role: fc.constant('user'),
        content: fc.array(fc.record({ type: fc.constantFrom('input_text', 'output_text'), text })),
      }),
      fc.record({ type: fc.constant('function_call'), call_id: text, name: text, arguments: text }),
      fc.record({ type: fc.constant('function_call_output'), call_id: text, output: text }),
      fc.record({ type: fc.constant('reasoning'), summary: fc.constant([]), encrypted_content: text }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
)
const response = fc.record(
  {
    model: fc.constantFrom('sandbox-small', 'sandbox-large', 'none'),
    input: inResponses,
    max_output_tokens: fc.constantFrom(1, 3, 8),
    stream: fc.boolean(),
    instructions: text,
    store: fc.boolean(),
    tools: fc.array(
      fc.record({
        type: fc.constantFrom('function', 'custom', 'web_search'),
        name: text,
        parameters: fc.dictionary(text, odd, { maxKeys: 3 }),
      }),
      { maxLength: 2 },
    ),
    text: fc.record({ verbosity: text, format: fc.record({ type: fc.constant('json_object') }) }),
    reasoning: fc.record({ effort: fc.constantFrom('low', 'none'), summary: text }),
  },
  { requiredKeys: ['model', 'input', 'max_output_tokens'] },
)
const block = fc.oneof<fc.Arbitrary<unknown>[]>(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: fc.dictionary(text, odd) }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: text, content: text }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
)
const messages = fc.record(
  {
    model: fc.constantFrom('sandbox-small', 'sandbox-large', 'none'),
    max_tokens: fc.constantFrom(1, 3, 8),
    messages: fc.array(
      fc.record({
        role: fc.constantFrom('user', 'assistant', 'system'),
        content: fc.oneof(text, fc.array(block, { minLength: 1, maxLength: 3 })),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    system: text,
    stream: fc.boolean(),
    tools: fc.array(fc.record({ name: text, input_schema: fc.dictionary(text, odd, { maxKeys: 3 }) }), {
      maxLength: 2,
    }),
    tool_choice: fc.record({ type: fc.constantFrom('auto', 'any', 'none'), name: text }),
    thinking: fc.record({ type: fc.constantFrom('enabled', 'adaptive'), budget_tokens: fc.nat() }),
    metadata: fc.record({ user_id: text }),
  },
  { requiredKeys: ['model', 'max_tokens', 'messages'] },
)
const generate = fc.record(
  {
    contents: fc.array(
      fc.record({
        role: fc.constantFrom('user', 'model'),
        parts: fc.array(
          fc.oneof<fc.Arbitrary<unknown>[]>(
            fc.record({ text }),
            fc.record({ functionCall: fc.record({ name: text, args: fc.dictionary(text, odd) }) }),
            fc.record({
              functionResponse: fc.record({ name: text, response: fc.dictionary(text, odd) }),
            }),
            fc.record({ inlineData: fc.record({ mimeType: text, data: fc.base64String() }) }),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    systemInstruction: fc.record({ parts: fc.array(fc.record({ text })) }),
    generationConfig: fc.record({
      maxOutputTokens: fc.constantFrom(1, 3, 8),
      candidateCount: fc.integer({ min: 1, max: 8 }),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      stopSequences: fc.array(text, { maxLength: 4 }),
    }),
  },
  { requiredKeys: ['contents', 'generationConfig'] },
)

/** The value with `wrong` somewhere inside: at each level, the next of `turns` selects the member. */
function corruptAt(value: Json, turns: readonly number[], wrong: Json): Json {
  const [turn, ...rest] = turns
  if (turn === undefined || typeof value !== 'object' || value === null) return wrong
  if (Array.isArray(value)) {
    const at = value.length === 0 ? 0 : turn % value.length
    return value.length === 0
      ? [wrong]
      : value.map((item, index) => (index === at ? corruptAt(item, rest, wrong) : item))
  }
  const names = [...Object.keys(value), 'surprise']
  const name = names[turn % names.length] ?? 'surprise'
  return { ...value, [name]: corruptAt(value[name] ?? null, rest, wrong) }
}

function getBodies(good: fc.Arbitrary<Fields>): fc.Arbitrary<string> {
  const turns = fc.array(fc.nat(50), { minLength: 1, maxLength: 6 })
  const spoilt = fc
    .tuple(good, turns, odd)
    .map(([value, path, wrong]) => JSON.stringify(corruptAt(JSON.parse(JSON.stringify(value)), path, wrong)))
  const cut = fc.tuple(good, fc.nat(200)).map(([value, length]) => JSON.stringify(value).slice(0, length))
  return fc.oneof(
    { weight: 2, arbitrary: good.map((value) => JSON.stringify(value)) },
    { weight: 8, arbitrary: spoilt },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  )
}

const SANDBOX = '/v1beta/models/sandbox-small'

/** One request. `keyId`: the key that updates are sent to. */
export function cases(keyId: string): fc.Arbitrary<Case> {
  const to = (method: Case['method'], path: string, good: fc.Arbitrary<Fields>) =>
    getBodies(good).map((body): Case => ({ method, path, body }))
  return fc.oneof(
    { weight: 4, arbitrary: to('POST', '/v1/chat/completions', chat) },
    { weight: 3, arbitrary: to('POST', '/v1/responses', response) },
    { weight: 3, arbitrary: to('POST', '/v1/messages', messages) },
    { weight: 1, arbitrary: to('POST', '/v1/messages/count_tokens', messages) },
    { weight: 3, arbitrary: to('POST', `${SANDBOX}:generateContent`, generate) },
    { weight: 2, arbitrary: to('POST', `${SANDBOX}:streamGenerateContent?alt=sse`, generate) },
    { weight: 2, arbitrary: to('POST', '/v1/keys', key) },
    { weight: 2, arbitrary: to('PATCH', `/v1/keys/${keyId}`, key) },
    { weight: 3, arbitrary: to('POST', '/v1/pricing/estimate', estimate) },
  )
}
