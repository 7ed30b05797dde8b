import { expect, test } from 'vitest'
import { decodeSchema } from './options.ts'

test('converts types, counts, enumerations and nullable schemas at every depth', () => {
  expect(
    decodeSchema({
      type: 'OBJECT',
      description: 'Options',
      property_ordering: ['tags', 'type'],
      required: ['tags'],
      properties: {
        type: { type: 'STRING', format: 'enum', enum: ['A', 'B'], nullable: true },
        tags: { type: 'ARRAY', min_items: '1', maxItems: '5', items: { type: 'INTEGER', enum: ['1', '2'] } },
        any_of: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true, example: 1 },
        nested: { type: 'OBJECT', properties: { at: { type: 'STRING', format: 'date-time' } } },
      },
    }),
  ).toEqual({
    type: 'object',
    description: 'Options',
    required: ['tags'],
    properties: {
      type: { type: ['string', 'null'], enum: ['A', 'B', null] },
      tags: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'integer', enum: [1, 2] } },
      any_of: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }], examples: [1] },
      nested: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } },
    },
  })
})

test('a JSON Schema stays as it is', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: ['string', 'null'], const: 'x' }, b: { $ref: '#/$defs/B' } },
    $defs: { B: { type: 'integer', exclusiveMinimum: 0 } },
  }
  expect(decodeSchema(schema)).toEqual(schema)
})
