// Owns the OpenAPI 3.1 document: made from the same table and schemas that requests are checked against.
import { z } from 'zod'
import { ErrorEnvelope } from '../../shared/errors.ts'
import { type Operation, operations } from '../../shared/operations.ts'
import { openApiPath } from './route-paths.ts'

type Json = Record<string, unknown>

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Malformed body, missing field or invalid parameter.',
  401: 'Missing, unknown or revoked key.',
  402: 'A spend cap or the monthly limit is reached.',
  403: "The key's scope does not allow the operation, or a foreign origin called.",
  404: 'Unknown model, id or endpoint.',
  408: 'The provider timed out after retries.',
  413: 'The body is larger than 32 MB.',
  415: 'The body is not JSON.',
  429: 'Requests or tokens per minute are used up; Retry-After says how long to wait.',
  500: 'A fault inside Tollgate.',
  502: 'The provider failed after retries.',
  503: 'The provider is unavailable, or Tollgate cannot record or is shutting down.',
  504: 'The provider reported a gateway timeout.',
}

/** The document as a JSON value. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations)) {
    const path = openApiPath(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(id, operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version,
      description: 'A private, metered gateway to language models on this machine.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:8655' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'tg-…' } },
      schemas: { Error: schemaOf(ErrorEnvelope, 'output') },
      headers: {
        RequestId: {
          description: 'Names this request in the log and the records.',
          schema: { type: 'string' },
        },
      },
    },
  }
}

function describeOperation(id: string, operation: Operation): Json {
  const { scopes } = operation
  return {
    operationId: id,
    summary: operation.summary,
    ...(scopes === 'public'
      ? { security: [] }
      : { description: `Scopes: ${scopes.join(', ')}.`, 'x-scopes': scopes }),
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)],
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(operation.body, 'input') } },
          },
        }
      : {}),
    responses: responses(id, operation),
  }
}

function responses(id: string, operation: Operation): Json {
  const { status = 200, streams, response } = operation
  const schema = schemaOf(response, 'output')
  const content: Json = {}
  if (streams !== 'events') content['application/json'] = { schema }
  if (streams) content['text/event-stream'] = { schema: streams === 'events' ? schema : { type: 'string' } }
  const result: Json = { [status]: { description: 'Success.', headers: successHeaders(operation), content } }
  for (const code of errorStatuses(id, operation)) {
    result[code] = {
      description: STATUS_TEXT[code] ?? '',
      headers: { 'X-Service-Request-Id': { $ref: '#/components/headers/RequestId' } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  return result
}

/** What single operations answer beyond what their row of the table tells. */
const MORE_ERRORS: Partial<Record<string, readonly number[]>> = {
  createChatCompletion: [402, 404, 408, 429, 504],
  estimateCost: [404],
  fetchProviderModels: [408, 504],
}

function errorStatuses(id: string, { scopes, method, body, query, path }: Operation): number[] {
  const statuses = new Set([
    ...(body || query ? [400] : []),
    ...(scopes === 'public' ? [] : [401, 403, 503]),
    // An Idempotency-Key may be malformed or reused, or its first answer lost.
    ...(method === 'POST' ? [400, 413, 415, 502] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body ? [413, 415] : []),
    ...(MORE_ERRORS[id] ?? []),
    500,
  ])
  return [...statuses].sort((a, b) => a - b)
}

function successHeaders({ streams }: Operation): Json {
  const text = (description: string) => ({ description, schema: { type: 'string' } })
  const common = { 'X-Service-Request-Id': { $ref: '#/components/headers/RequestId' } }
  if (streams !== 'optional-events') return common
  return {
    ...common,
    'X-Service-Tokens-In': text('Prompt tokens billed. A trailer on a stream.'),
    'X-Service-Tokens-Out': text('Completion tokens billed. A trailer on a stream.'),
    'X-Service-Cost-Usd': text('Cost in USD, 6 decimals. A trailer on a stream.'),
    'X-Service-Model': text('The model that served.'),
  }
}

function pathParameters({ path }: Operation): Json[] {
  return path.includes('{') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []
}

function queryParameters({ query }: Operation): Json[] {
  if (!(query instanceof z.ZodObject)) return []
  const { properties } = schemaOf(query, 'input')
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }))
}

function headerParameters({ method }: Operation): Json[] {
  if (method !== 'POST') return []
  const schema = { type: 'string', minLength: 1, maxLength: 255 }
  return [{ name: 'Idempotency-Key', in: 'header', required: false, schema }]
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
  return rest
}
