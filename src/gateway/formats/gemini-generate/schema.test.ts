import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/json.ts'
import { encode, functionTool } from './testing/encode.ts'
import { readGeminiRequest } from './testing/request-schema.ts'

/** The narrow schema made of a function's parameters. */
function declaredParameters(parameters: JsonObject): unknown {
  const value = encode({ tools: [functionTool('f', parameters)] })
  return readGeminiRequest(value).tools?.[0]?.functionDeclarations?.[0]?.parameters
}

describe('a function’s schema', () => {
  test('keeps supported keywords', () => {
    expect(
      declaredParameters({
        type: 'object',
        description: 'd',
        properties: {
          s: { type: 'string', enum: ['a', 'b'], minLength: 1, pattern: '^a' },
          n: { type: 'number', minimum: 0, maximum: 1, format: 'float' },
          l: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
        },
        required: ['s', 'gone'],
      }),
    ).toEqual({
      type: 'OBJECT',
      description: 'd',
      properties: {
        s: { type: 'STRING', enum: ['a', 'b'], minLength: '1', pattern: '^a' },
        n: { type: 'NUMBER', minimum: 0, maximum: 1, format: 'float' },
        l: { type: 'ARRAY', items: { type: 'INTEGER' }, maxItems: '3' },
      },
      required: ['s'],
    })
  })

  test('drops or describes what Gemini rejects', () => {
    expect(
      declaredParameters({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
        propertyNames: { pattern: '^x' },
        properties: {
          a: { type: 'integer', exclusiveMinimum: 0, multipleOf: 5, description: 'How many' },
          b: { type: 'array', items: { type: 'string', format: 'email' }, uniqueItems: true },
          c: { type: 'integer', enum: [1, 2] },
          d: { const: 'fixed' },
        },
      }),
    ).toEqual({
      type: 'OBJECT',
      properties: {
        a: { type: 'INTEGER', description: 'How many (multipleOf: 5, exclusiveMinimum: 0)' },
        b: { type: 'ARRAY', items: { type: 'STRING' }, description: '(uniqueItems: true)' },
        c: { type: 'INTEGER', description: '(enum: [1,2])' },
        d: { type: 'STRING', enum: ['fixed'] },
      },
    })
  })

  test('converts types, alternatives, references and unions', () => {
    const made = declaredParameters({
      type: 'object',
      $defs: { name: { $ref: '#/$defs/text' }, text: { type: 'string', description: 'A name' } },
      properties: {
        a: { type: ['string', 'null'] },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'maybe' },
        c: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        d: { $ref: '#/$defs/name' },
        e: { type: ['string', 'number'] },
        f: {
          allOf: [
            { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
            { properties: { y: { type: 'string' } } },
          ],
        },
      },
    })
    expect(made).toMatchObject({
      properties: {
        a: { type: 'STRING', nullable: true },
        b: { type: 'INTEGER', nullable: true, description: 'maybe' },
        c: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
        d: { type: 'STRING', description: 'A name' },
        e: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
        f: { type: 'OBJECT', properties: { x: { type: 'STRING' }, y: { type: 'STRING' } }, required: ['x'] },
      },
    })
  })

  test('cuts a recursive schema and limits expansion', () => {
    const node = {
      type: 'object',
      properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } },
    }
    expect(
      declaredParameters({ type: 'object', $defs: { node }, properties: { n: { $ref: '#/$defs/node' } } }),
    ).toEqual({
      type: 'OBJECT',
      properties: {
        n: { type: 'OBJECT', properties: { left: { type: 'OBJECT' }, right: { type: 'OBJECT' } } },
      },
    })
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` }
        return [`d${at}`, { type: 'object', properties: { a: next, b: next }, allOf: [next, next] }]
      }),
    )
    const made = declaredParameters({
      type: 'object',
      $defs: defs,
      properties: { n: { $ref: '#/$defs/d0' } },
    })
    expect(JSON.stringify(made).length).toBeLessThan(200_000)
  })

  test('is omitted for a function without parameters', () => {
    expect(
      encode({ tools: [functionTool('f', { type: 'object', properties: {} }), functionTool('g')] }),
    ).toEqual({
      contents: expect.anything(),
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
    })
  })
})
