// The OpenAPI 3.1 document is built from the table and the schemas that requests are validated with.
import { type Operation, TAGS } from '../../shared/operations/operation.ts'
import { operations } from '../../shared/operations.ts'
import { openApiPath } from '../http/route-paths.ts'
import {
  describeFile,
  describeResponses,
  headerComponents,
  type Json,
  namedSchemas,
  referencedSchemas,
  responseComponents,
  schemaId,
  schemaReference,
} from './openapi-responses.ts'

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
          description: 'An API key. `x-api-key`, `api-key` and `x-goog-api-key` are accepted too.',
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
  reconciliations: 'The id of a comparison (`rec_…`).',
  backups: 'The id of a backup.',
  keys: 'The id of an API key.',
  models: "A model's id, or `provider/model`. Slashes may be sent as they are or percent-encoded.",
  providers: 'The id of a provider.',
  requests: 'The id of a request.',
  sessions: 'The id of a session.',
  responses: 'The id of a response.',
}

function pathParameters({ path }: Operation): Json[] {
  if (!path.includes('{')) return []
  const description = NAMES_OF_IDS[path.split('/')[2] ?? '']
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

function headerParameters({ method, file }: Operation): Json[] {
  return method === 'POST' && file !== 'body' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
}

function bodyTypes(form: Operation['form']): string[] {
  if (form === 'or-json') return ['multipart/form-data', 'application/json']
  return [form ? 'multipart/form-data' : 'application/json']
}
