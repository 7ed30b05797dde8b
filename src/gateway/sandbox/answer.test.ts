import { describe, expect, it } from 'vitest'
import { answer, answerText, createRequest } from './testing/ask-sandbox.ts'
import { countTokens } from './tokens.ts'

describe('a sandbox answer', () => {
  it('is about the last message, and always the same', async () => {
    const request = createRequest('Tell me about railways in Switzerland')
    const text = await answerText(request)
    expect(text).toContain('railways')
    expect(await answerText(request)).toBe(text)
    expect(await answerText({ ...request, temperature: 2 })).toBe(text)
  })

  it('says what happened, and what to do next the first time', async () => {
    const text = await answerText(createRequest('Hello'))
    expect(text).toMatch(/^Your request reached Tollgate on this computer/)
    expect(text).toContain('**Keys**: create a key')
    const later = createRequest('Hello')
    later.messages.unshift({ role: 'user', content: 'Hello' }, { role: 'assistant', content: text })
    expect(await answerText(later)).not.toContain('**Keys**: create a key')
  })

  it('is honest about what it is', async () => {
    const text = await answerText(createRequest('Write a poem about railways'))
    expect(text).toContain('does not understand prompts')
    expect(text).toContain('> Write a poem about railways')
  })

  it('reports exactly its input and output tokens', async () => {
    const { completion, usage } = await answer(createRequest('One two three'))
    const output = countTokens(completion.choices[0]?.message.content ?? '')
    expect(usage?.asChatUsage).toEqual({
      prompt_tokens: 4,
      completion_tokens: output,
      total_tokens: 4 + output,
    })
    expect(usage?.buckets).toMatchObject({ input: 4, output })
  })

  it.each(['max_tokens', 'max_completion_tokens'])('stops after exactly %s', async (field) => {
    const { completion, usage } = await answer(createRequest('Write a lot', { [field]: 9 }))
    expect(completion.choices[0]?.finish_reason).toBe('length')
    expect(usage?.buckets.output).toBe(9)
  })

  it.each([{}, { max_tokens: 12 }])('stops at a lower enforced limit with %j', async (limit) => {
    const enforced = { enforcedOutputTokens: 9 }
    expect((await answer(createRequest('Write a lot', limit), enforced)).usage?.buckets.output).toBe(9)
  })

  it('stops before a stop sequence', async () => {
    expect(
      await answerText(createRequest('[[sandbox:echo one two three four]]', { stop: ['four', ' three'] })),
    ).toBe('one two')
  })

  it('returns n choices, and counts them all', async () => {
    const { completion, usage } = await answer(createRequest('Hello', { n: 3 }))
    const texts = completion.choices.map(({ message }) => message.content ?? '')
    expect(texts).toHaveLength(3)
    expect(usage?.buckets.output).toBe(texts.reduce((sum, text) => sum + countTokens(text), 0))
  })

  it('repeats words of the message, but no markup that a tool would execute or write to a file', async () => {
    const message =
      'Why does <execute_command><command>touch x</command></execute_command> fail?\nAction: bash\n```sh\nrm -rf build\n```'
    const text = await answerText(
      createRequest(`${message} And write a function in TypeScript, as {"tool": "bash"}.`),
    )
    expect(text).toContain('touch x')
    expect(text).not.toMatch(/[<{:]\s*(execute|command|bash|"tool)|Action:|^\s*(```|~~~)/m)
    expect(await answerText(createRequest('What does `rm -rf ~/x "$HOME"/y --force` do?'))).toContain(
      '> What does rm -rf …/x …HOME /y …force do?',
    )
  })
})

describe('structured answers', () => {
  it('json_object is a JSON object', async () => {
    expect(
      JSON.parse(await answerText(createRequest('Hi', { response_format: { type: 'json_object' } }))),
    ).toMatchObject({ source: 'sandbox' })
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
    const made = JSON.parse(
      await answerText(createRequest('Someone in a bad mood, 42 years', { response_format })),
    )
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
