// The OpenAPI 3.1 document is built from the table and the schemas that requests are validated with.

import { z } from 'zod'
import { DatabaseFile } from '../../shared/api/account.ts'
import { ErrorEnvelope } from '../../shared/api/errors.ts'
import { type Operation, TAGS, takesIdempotencyKey } from '../../shared/api/operations/operation.ts'
import { operations } from '../../shared/api/operations.ts'
import { ChatChunk } from '../../shared/formats/chat-completion.ts'
import { openApiPath } from '../http/routes.ts'

type Schemas = ReadonlyMap<string, Json>

const DESCRIPTION =
  'A private, metered gateway to language models on this machine. Most responses are JSON; an error response ' +
  'is an `ErrorResponse`. See docs/api.md for what a schema cannot express.'

/** The document as a JSON value. */
export function openApiDocument(version: string): Json {
  const schemas = namedSchemas()
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations)) {
    const path = openApiPath(operation.path)
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: operationObject(id, operation, schemas),
    }
  }
  const responses = responseComponents()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:8655', description: 'The default port on this machine.' }],
    security: [{ bearer: [] }],
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'tg-…',
          description:
            'An API key. `x-api-key`, `api-key`, `x-goog-api-key` and `x-tollgate-key` are accepted too.',
        },
      },
      schemas: referencedSchemas({ paths, responses }, schemas),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      headers: headerComponents(),
      responses,
    },
  }
}

function operationObject(id: string, operation: Operation, schemas: Schemas): Json {
  const { tag, summary, scopes, body, optionalBody, form, file } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describeOperation(operation),
    ...(scopes === 'public' ? { security: [] } : { 'x-scopes': scopes }),
    parameters: [
      ...pathParameters(operation),
      ...queryParameters(operation, schemas),
      ...headerParameters(operation),
    ],
    ...(body && {
      requestBody: {
        required: optionalBody !== true,
        content: Object.fromEntries(bodyTypes(form).map((type) => [type, { schema: schemaReference(body) }])),
      },
    }),
    ...(file === 'body' && { requestBody: { required: true, content: describeFile(operation) } }),
    responses: describeResponses(operation),
  }
}

function describeOperation({ description, scopes }: Operation): string {
  const access = scopes === 'public' ? 'No API key is needed.' : `Scopes: ${scopes.join(', ')}.`
  return description ? `${description}\n\n${access}` : access
}

const NAMES_OF_IDS: Readonly<Record<string, string>> = {
  backups: 'The id of a backup.',
  keys: 'The id of an API key.',
  models: "A model's id, or `provider/model`. Slashes may be sent as they are or percent-encoded.",
  providers: 'The id of a provider.',
  requests: 'The id of a request.',
  sessions: 'The id of a session.',
  'plan-windows': 'The id of a plan.',
  responses: 'The id of a response.',
}

function pathParameters({ path, idDescription }: Operation): Json[] {
  if (!path.includes('{')) return []
  const description = idDescription ?? NAMES_OF_IDS[path.split('/')[2] ?? '']
  return [{ name: 'id', in: 'path', required: true, description, schema: { type: 'string' } }]
}

function queryParameters({ query }: Operation, schemas: Schemas): Json[] {
  if (!query) return []
  const { properties = {} } = schemas.get(schemaId(query)) ?? {}
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description !== undefined && { description }),
    schema,
  }))
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A retry with the same key and body within 24 hours returns the first response and is not billed again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function headerParameters(operation: Operation): Json[] {
  return takesIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
}

function bodyTypes(form: Operation['form']): string[] {
  if (form === 'or-json') return ['multipart/form-data', 'application/json']
  return [form ? 'multipart/form-data' : 'application/json']
}

const PREFIX = '#/components/schemas/'

/**
 * The schemas that have a `meta({ id })`, by id. They describe what is accepted rather than what is sent, so that a
 * generated client does not reject fields that a later version adds to a response.
 */
function namedSchemas(): ReadonlyMap<string, Json> {
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
function schemaId(schema: z.ZodType): string {
  const id = z.globalRegistry.get(schema)?.id
  if (id === undefined) throw new Error('A schema of a request, query or response needs an id.')
  return id
}

function schemaReference(schema: z.ZodType): Json {
  return { $ref: `${PREFIX}${schemaId(schema)}` }
}

/** The schemas that `document` refers to, directly or through another one, sorted by id. */
function referencedSchemas(document: unknown, schemas: ReadonlyMap<string, Json>): Json {
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
  409: { name: 'Conflict', description: 'The same is already running.' },
  413: { name: 'PayloadTooLarge', description: 'The body is larger than 32 MB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not JSON.' },
  429: {
    name: 'TooManyRequests',
    description: 'The requests or tokens per minute are used up, or the event streams of a key.',
  },
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

function headerComponents(): Json {
  return {
    RequestId: text('The id of this request in the log. For a completion, `GET /v1/requests/{id}` takes it.'),
    Replayed: text('`true` when the response is that of an earlier request with the same Idempotency-Key.'),
    RetryAfter: integer('The number of seconds to wait before a retry.'),
  }
}

/** The error responses by name, to which operations refer. */
function responseComponents(): Json {
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
function describeFile({ fileContent = DATABASE }: Operation): Json {
  return Object.fromEntries(
    fileContent.types.map((type) => [type, { schema: schemaReference(fileContent.schema) }]),
  )
}

/** The `responses` of an operation: its success and every error status that it can return. */
function describeResponses(operation: Operation): Json {
  const { status = 200, streams, response, event, file } = operation
  const responses: Json = {
    [status]: {
      description: successDescription(operation),
      headers: successHeaders(operation),
      content: {
        ...(file === 'response' && describeFile(operation)),
        ...(file === 'metrics' && { 'text/plain': { schema: schemaReference(response) } }),
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
    const knownError = ERRORS[code]
    if (!knownError) throw new Error(`Status ${code} has no description.`)
    responses[code] = { $ref: `#/components/responses/${knownError.name}` }
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

function successHeaders(operation: Operation): Json {
  const { streams, passThrough } = operation
  return {
    ...REQUEST_ID,
    ...(takesIdempotencyKey(operation) && {
      'Idempotency-Replayed': { $ref: '#/components/headers/Replayed' },
    }),
    ...((streams === 'optional-events' || passThrough) && CHAT_HEADERS),
  }
}

function errorStatuses(operation: Operation): number[] {
  const { scopes, method, body, query, path, errors = [] } = operation
  const statuses = new Set([
    ...(body || query ? [400] : []),
    ...(scopes === 'public' ? [] : [401, 403, 429, 503]),
    ...(method === 'POST' ? [400, 413, 415] : []),
    // The first response to an Idempotency-Key can be lost.
    ...(takesIdempotencyKey(operation) ? [502] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body ? [413, 415] : []),
    ...errors,
    500,
  ])
  return [...statuses].sort((a, b) => a - b)
}

type Json = Record<string, unknown>
