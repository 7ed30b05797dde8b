import { createRequire } from 'node:module'
import { expect } from 'vitest'
import { z } from 'zod'
import { operations } from '../shared/api/operations.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('OpenAPI')

/** What the rules are about; the last test checks the rest, and that no member is misspelled. */
const Content = z.record(z.string(), z.object({ schema: z.unknown() })).optional()
const Parameter = z.object({
  ...{ $ref: z.string().optional(), name: z.string().optional(), in: z.string().optional() },
  ...{ required: z.boolean().optional(), description: z.string().optional() },
})
const OperationObject = z.object({
  operationId: z.string().min(1),
  tags: z.array(z.string()).length(1),
  summary: z.string().regex(/^[A-Z].*[^.]$/),
  description: z.string().min(1),
  'x-scopes': z.array(z.string()).optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(Parameter),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ $ref: z.string().optional(), content: Content })),
})
const Document = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), OperationObject)),
  components: z.object({
    securitySchemes: z.record(z.string(), z.object({ type: z.literal('http'), scheme: z.literal('bearer') })),
    schemas: z.record(z.string(), z.unknown()),
    responses: z.record(z.string(), z.object({ content: Content })),
  }),
})

const { json, status } = await tollgate.call('GET', '/openapi.json', { as: '' })
const document = Document.parse(json)

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, operation })),
)

test('GET /openapi.json needs no key and is an OpenAPI 3.1 document', () => {
  expect(status).toBe(200)
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(described.length)
  for (const { path, operation } of described) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
    expect(declared.map(({ name }) => name)).toEqual(inPath)
    expect(declared.every(({ required, description }) => required && description)).toBe(true)
  }
})

test('Every request and response body is a schema with a name', () => {
  const { schemas } = document.components
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      'ApiKey',
      'ChatCompletionRequest',
      'ChatCompletionChunk',
      'ErrorResponse',
      'Provider',
    ]),
  )
  for (const { operation } of described) {
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)])
      for (const { schema } of Object.values(content))
        expect(schema).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z][A-Za-z]+$/) })
  }
})

test('Every tag of an operation is listed', () => {
  const used = new Set(described.flatMap(({ operation }) => operation.tags))
  expect([...used].sort()).toEqual(document.tags.map(({ name }) => name).sort())
})

test('Every error response is the error envelope', () => {
  for (const { operation } of described) {
    for (const [code, response] of Object.entries(operation.responses).filter(([code]) => code >= '400')) {
      const name = response.$ref?.split('/').pop() ?? ''
      expect([code, document.components.responses[name]?.content?.['application/json']]).toEqual([
        code,
        { schema: { $ref: '#/components/schemas/ErrorResponse' } },
      ])
    }
  }
})

test('It describes every route with scopes and errors', () => {
  const table = Object.entries(operations)
  expect(described.map(({ operation }) => operation.operationId).sort()).toEqual(
    table.map(([id]) => id).sort(),
  )
  for (const { operation } of described) {
    const { scopes, ...row } = operations[operation.operationId as keyof typeof operations]
    const codes = Object.keys(operation.responses)
    expect(codes).toContain('500')
    if (scopes === 'public') expect(operation.security).toEqual([])
    else {
      expect(operation['x-scopes']).toEqual(scopes)
      expect(codes).toEqual(expect.arrayContaining(['401', '403']))
    }
    if ('body' in row) expect(codes).toEqual(expect.arrayContaining(['400', '413', '415']))
  }
  expect(Object.keys(document.paths['/v1/pricing/estimate']?.post?.responses ?? {})).toContain('404')
  const chat = document.paths['/v1/chat/completions']?.post
  expect(Object.keys(chat?.responses ?? {})).toEqual(
    expect.arrayContaining('200 400 401 402 403 404 408 429 500 502 503 504'.split(' ')),
  )
})

test('The version is in the path: every endpoint but health, metrics, this document and /api/hello is under /v1 or /v1beta', () => {
  // The last two are fixed by clients: Claude Code, and Prometheus by default.
  const others = ['/healthz', '/api/hello', '/metrics']
  expect(described.filter(({ path }) => !others.includes(path) && !/^\/v1(beta)?\//.test(path))).toEqual([])
})

test('The document is valid by the JSON Schema of OpenAPI 3.1, and every reference in it resolves', async () => {
  // The generator reads documents with this validator.
  const requireFromGenerator = createRequire(import.meta.resolve('swagger-typescript-api'))
  const { validate } = requireFromGenerator('@apidevtools/swagger-parser')
  await expect(validate(structuredClone(json))).resolves.toMatchObject({ openapi: '3.1.0' })
})
