import { createRequire } from 'node:module'
import { expect } from 'vitest'
import { z } from 'zod'
import { operations } from '../shared/api/operations.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('OpenAPI')

/** The parts of the OpenAPI 3.1 object model that the document uses, strict, so that misspelled members fail. */
const Reference = z.strictObject({ $ref: z.string().startsWith('#/components/') })

const Schema = z.union([z.record(z.string(), z.unknown()), z.boolean()])
const Header = z.union([Reference, z.strictObject({ description: z.string().min(1), schema: Schema })])
const Media = z.record(z.string().includes('/'), z.strictObject({ schema: Schema }))

const Response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), Header).optional(),
  content: Media.optional(),
})

const Parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean(),
  description: z.string().min(1).optional(),
  schema: Schema,
})

const OperationObject = z.strictObject({
  operationId: z.string().min(1),
  tags: z.array(z.string()).length(1),
  summary: z.string().regex(/^[A-Z].*[^.]$/),
  description: z.string().min(1),
  'x-scopes': z.array(z.string()).optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(z.union([Parameter, Reference])),
  requestBody: z.strictObject({ required: z.boolean(), content: Media }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([Response, Reference])),
})

const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.url(), description: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.record(z.enum(['get', 'put', 'post', 'delete', 'patch']), OperationObject.optional()),
  ),
  components: z.strictObject({
    securitySchemes: z.record(
      z.string(),
      z.looseObject({ type: z.literal('http'), scheme: z.literal('bearer') }),
    ),
    schemas: z.record(z.string(), Schema),
    headers: z.record(z.string(), Header),
    parameters: z.record(z.string(), Parameter),
    responses: z.record(z.string(), Response),
  }),
})

const { json, status } = await tollgate.call('GET', '/openapi.json', { as: '' })
const document = Document.parse(json)

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => (operation ? [{ path, method, operation }] : [])),
)

test('GET /openapi.json needs no key and is an OpenAPI 3.1 document', () => {
  expect(status).toBe(200)
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(described.length)
  for (const { path, operation } of described) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const declared = operation.parameters.flatMap((parameter) =>
      'in' in parameter && parameter.in === 'path' ? [parameter] : [],
    )
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
    const responses = Object.values(operation.responses).flatMap((response) =>
      'content' in response ? [response] : [],
    )
    for (const { content = {} } of [operation.requestBody ?? {}, ...responses]) {
      for (const { schema } of Object.values(content)) {
        expect(schema).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z][A-Za-z]+$/) })
      }
    }
  }
})

test('Every tag of an operation is listed', () => {
  const used = new Set(described.flatMap(({ operation }) => operation.tags))
  expect([...used].sort()).toEqual(document.tags.map(({ name }) => name).sort())
})

test('Every error response is the error envelope', () => {
  for (const { operation } of described) {
    for (const [code, response] of Object.entries(operation.responses).filter(([code]) => code >= '400')) {
      const name = '$ref' in response ? (response.$ref.split('/').pop() ?? '') : ''
      expect([code, document.components.responses[name]?.content?.['application/json']]).toEqual([
        code,
        { schema: { $ref: '#/components/schemas/ErrorResponse' } },
      ])
    }
  }
})

test('Every reference in it resolves', () => {
  const references = JSON.stringify(json).matchAll(/"\$ref":"(#[^"]*)"/g)
  for (const [, reference = ''] of references) {
    let target: unknown = json
    for (const step of reference.split('/').slice(1)) {
      target = typeof target === 'object' && target !== null ? Reflect.get(target, step) : undefined
    }
    expect([reference, target]).toEqual([reference, expect.anything()])
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
    expect.arrayContaining([
      '200',
      '400',
      '401',
      '402',
      '403',
      '404',
      '408',
      '429',
      '500',
      '502',
      '503',
      '504',
    ]),
  )
})

test('The version is in the path: every endpoint but health, metrics, this document and /api/hello is under /v1 or /v1beta', () => {
  // The last two are fixed by clients: Claude Code, and Prometheus by default.
  const others = ['/healthz', '/api/hello', '/metrics']
  expect(described.filter(({ path }) => !others.includes(path) && !/^\/v1(beta)?\//.test(path))).toEqual([])
})

test('The document is valid by the JSON Schema of OpenAPI 3.1', async () => {
  // The generator reads documents with this validator.
  const requireFromGenerator = createRequire(import.meta.resolve('swagger-typescript-api'))
  const { validate } = requireFromGenerator('@apidevtools/swagger-parser')
  await expect(validate(structuredClone(json))).resolves.toMatchObject({ openapi: '3.1.0' })
})
