import { z } from 'zod'
import { DatabaseFile } from '../../shared/account.ts'
import { ChatChunk } from '../../shared/chat-completion.ts'
import { ErrorEnvelope } from '../../shared/errors.ts'
import type { Operation } from '../../shared/operations/operation.ts'
import { MetricsText } from '../../shared/telemetry.ts'

const PREFIX = '#/components/schemas/'

/**
 * The schemas that have a `meta({ id })`, by id. They describe what is accepted rather than what is sent, so that a
 * generated client does not reject fields that a later version adds to a response.
 */
export function namedSchemas(): ReadonlyMap<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
    uri: (id) => `${PREFIX}${id}`,
    override: ({ jsonSchema }) => {
      // `format` and `type` say the same in less space.
      if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return new Map(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]),
  )
}

/** Throws an Error for a schema without an id. */
export function schemaId(schema: z.ZodType): string {
  const id = z.globalRegistry.get(schema)?.id
  if (id === undefined) throw new Error('A schema of a request, query or response needs an id.')
  return id
}

export function schemaReference(schema: z.ZodType): Json {
  return { $ref: `${PREFIX}${schemaId(schema)}` }
}

/** The schemas that `document` refers to, directly or through another one, sorted by id. */
export function referencedSchemas(document: unknown, schemas: ReadonlyMap<string, Json>): Json {
  const found = new Map<string, Json>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const target = '$ref' in value && typeof value.$ref === 'string' ? value.$ref : ''
    const id = target.startsWith(PREFIX) ? target.slice(PREFIX.length) : ''
    const schema = schemas.get(id)
    if (schema && !found.has(id)) {
      found.set(id, schema)
      visit(schema)
    }
    for (const member of Object.values(value)) visit(member)
  }
  visit(document)
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

interface ErrorStatus {
  name: string
  description: string
}

const ERRORS: Readonly<Record<number, ErrorStatus>> = {
  400: { name: 'BadRequest', description: 'Malformed body, missing field or invalid parameter.' },
  401: { name: 'Unauthorized', description: 'Missing, unknown or revoked API key.' },
  402: { name: 'PaymentRequired', description: 'A spend cap or the monthly limit is reached.' },
  403: { name: 'Forbidden', description: "The key's scope or the web origin is not allowed." },
  404: { name: 'NotFound', description: 'Unknown model, id or endpoint.' },
  408: { name: 'RequestTimeout', description: 'The provider timed out after retries.' },
  413: { name: 'PayloadTooLarge', description: 'The body is larger than 32 MB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not JSON.' },
  429: { name: 'TooManyRequests', description: 'The requests or tokens per minute are used up.' },
  500: { name: 'InternalServerError', description: 'An error inside Tollgate.' },
  502: { name: 'BadGateway', description: 'The provider failed after retries, or a response was lost.' },
  503: { name: 'ServiceUnavailable', description: 'The provider or Tollgate is temporarily unavailable.' },
  504: { name: 'GatewayTimeout', description: 'The provider reported a gateway timeout.' },
}

const REQUEST_ID = { 'X-Service-Request-Id': { $ref: '#/components/headers/RequestId' } }

const text = (description: string): Json => ({ description, schema: { type: 'string' } })
const integer = (description: string): Json => ({ description, schema: { type: 'integer' } })

const CHAT_HEADERS: Json = {
  'X-Service-Model': text('The model that served the request.'),
  'X-Service-Tokens-In': integer('Prompt tokens billed. A trailer on a stream.'),
  'X-Service-Tokens-Out': integer('Completion tokens billed. A trailer on a stream.'),
  'X-Service-Cost-Usd': text('The cost in USD with 6 decimals. A trailer on a stream.'),
  'x-ratelimit-limit-requests': integer('Requests per minute.'),
  'x-ratelimit-limit-tokens': integer('Tokens per minute.'),
  'x-ratelimit-remaining-requests': integer('Requests left in this minute.'),
  'x-ratelimit-remaining-tokens': integer('Tokens left in this minute.'),
  'x-ratelimit-reset-requests': text('When the oldest request leaves the window: `250ms`, `1m0s`.'),
  'x-ratelimit-reset-tokens': text('When the oldest tokens leave the window: `250ms`, `1m0s`.'),
}

export function headerComponents(): Json {
  return {
    RequestId: text('The id of this request in the log. For a completion, `GET /v1/requests/{id}` takes it.'),
    Replayed: text('`true` when the response is that of an earlier request with the same Idempotency-Key.'),
    RetryAfter: integer('The number of seconds to wait before a retry.'),
  }
}

/** The error responses by name, to which operations refer. */
export function responseComponents(): Json {
  const content = { 'application/json': { schema: schemaReference(ErrorEnvelope) } }
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, { name, description }]) => {
      const retry = ['429', '503'].includes(status) && {
        'Retry-After': { $ref: '#/components/headers/RetryAfter' },
      }
      return [name, { description, headers: { ...REQUEST_ID, ...retry }, content }]
    }),
  )
}

const DATABASE: NonNullable<Operation['fileContent']> = {
  types: ['application/vnd.sqlite3'],
  schema: DatabaseFile,
}

/** A file, as the body or the response. */
export function describeFile({ fileContent = DATABASE }: Operation): Json {
  return Object.fromEntries(
    fileContent.types.map((type) => [type, { schema: schemaReference(fileContent.schema) }]),
  )
}

const METRICS: Json = { 'text/plain': { schema: schemaReference(MetricsText) } }

/** The `responses` of an operation: its success and every error status that it can return. */
export function describeResponses(operation: Operation): Json {
  const { status = 200, streams, response, event, file } = operation
  const responses: Json = {
    [status]: {
      description: successDescription(operation),
      headers: successHeaders(operation),
      content: {
        ...(file === 'response' && describeFile(operation)),
        ...(file === 'metrics' && METRICS),
        ...(streams !== 'events' &&
          file !== 'response' &&
          file !== 'metrics' && { 'application/json': { schema: schemaReference(response) } }),
        ...(streams && {
          'text/event-stream': {
            schema: schemaReference(event ?? (streams === 'events' ? response : ChatChunk)),
          },
        }),
      },
    },
  }
  for (const code of errorStatuses(operation)) {
    const known = ERRORS[code]
    if (!known) throw new Error(`Status ${code} has no description.`)
    responses[code] = { $ref: `#/components/responses/${known.name}` }
  }
  return responses
}

function successDescription({ streams, event }: Operation): string {
  if (event)
    return 'The response, or if the request asks for it, a stream of server-sent events: the schema is that of the `data` of each event.'
  if (streams === 'events')
    return 'A stream of server-sent events. The schema is that of the `data` of each event.'
  if (streams === 'optional-events')
    return 'The completion, or with `stream: true` a stream of server-sent events: the schema is that of the `data` of each event, and the last event is `[DONE]`.'
  return 'Success.'
}

function successHeaders({ method, streams, passThrough, file }: Operation): Json {
  return {
    ...REQUEST_ID,
    ...(method === 'POST' &&
      file !== 'body' && { 'Idempotency-Replayed': { $ref: '#/components/headers/Replayed' } }),
    ...((streams === 'optional-events' || passThrough) && CHAT_HEADERS),
  }
}

function errorStatuses({ scopes, method, body, query, path, errors = [] }: Operation): number[] {
  const statuses = new Set([
    ...(body || query ? [400] : []),
    ...(scopes === 'public' ? [] : [401, 403, 503]),
    // An Idempotency-Key can be malformed or used for another body, or its first response can be lost.
    ...(method === 'POST' ? [400, 413, 415, 502] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body ? [413, 415] : []),
    ...errors,
    500,
  ])
  return [...statuses].sort((a, b) => a - b)
}

export type Json = Record<string, unknown>
