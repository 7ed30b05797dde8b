import { expect, it } from 'vitest'
import { createInstance } from './tools.ts'

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
