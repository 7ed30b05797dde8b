import { z } from 'zod'

export type Json = Record<string, unknown>

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
