// The reference of the API: a page for each subject of the OpenAPI document, and one with the schemas.
import { type OpenApi, type OperationObject, readOpenApi, type SchemaObject } from './openapi-document.ts'
import type { SitePage } from './page.ts'

const SCHEMAS = 'reference/schemas'

export function createApiPages(): SitePage[] {
  const document = readOpenApi()
  const subjects = document.tags.map(({ name }): SitePage => {
    const text = writeSubject(name, document)
    return { path: `reference/${anchor(name)}`, title: name, text }
  })
  return [...subjects, { path: SCHEMAS, title: 'Schemas', text: writeSchemas(document) }]
}

function writeSubject(tag: string, document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag)
      .map(([method, operation]) => writeOperation(`${method.toUpperCase()} ${path}`, operation, document)),
  )
  return `# ${tag}\n\n${operations.join('\n\n')}\n`
}

function writeOperation(heading: string, operation: OperationObject, document: OpenApi): string {
  const parts = [`## ${operation.summary}`, `\`${heading}\``]
  if (operation.description) parts.push(operation.description)
  const parameters = operation.parameters
    .map(({ $ref, ...own }) => ($ref ? document.components.parameters[getLast($ref)] : own))
    .filter((each) => each !== undefined)
  if (parameters.length > 0) {
    const rows = parameters.map(({ name = '', in: place = '', required, schema, description }) => [
      `\`${name}\`${required ? ', required' : ''}`,
      place,
      getType(schema),
      describeRemarks({ ...schema, description: description ?? schema?.description }),
    ])
    parts.push(table(['parameter', 'in', 'type', 'meaning'], rows))
  }
  for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {}))
    parts.push(`**Body** (${type}): ${getType(schema)}`)
  for (const [status, { content = {} }] of Object.entries(operation.responses)) {
    if (!status.startsWith('2')) continue
    const types = Object.entries(content).map(([type, { schema }]) => `${getType(schema)} (${type})`)
    parts.push(`**${status}**: ${types.join(' or ') || 'no content'}`)
  }
  return parts.join('\n\n')
}

function writeSchemas({ components }: OpenApi): string {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const parts = [`## ${name}`]
    if (schema.description) parts.push(cell(schema.description))
    const { properties = {}, required = [] } = schema
    const rows = Object.entries(properties).map(([property, each]) => [
      `\`${property}\`${required.includes(property) ? '' : '?'}`,
      getType(each),
      describeRemarks(each),
    ])
    parts.push(rows.length > 0 ? table(['member', 'type', 'meaning'], rows) : getType(schema))
    return parts.join('\n\n')
  })
  return `# Schemas\n\nA question mark means that the member may be missing.\n\n${sections.join('\n\n')}\n`
}

function getType(schema: SchemaObject | undefined): string {
  if (schema === undefined) return 'any'
  if (schema.$ref) return `[${getLast(schema.$ref)}](/${SCHEMAS}.md#${anchor(getLast(schema.$ref))})`
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return schema.enum.map(code).join(', ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(getType))].join(' or ')
  if (schema.allOf) return schema.allOf.map(getType).join(' and ')
  if (schema.items) return `list of ${getType(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

function describeRemarks({ description, default: standard, minimum, maximum }: SchemaObject): string {
  const remarks = description ? [cell(description)] : []
  if (minimum !== undefined && Math.abs(minimum) < Number.MAX_SAFE_INTEGER)
    remarks.push(`At least ${minimum}.`)
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) remarks.push(`At most ${maximum}.`)
  if (standard !== undefined) remarks.push(`${code(standard)} if missing.`)
  return remarks.join(' ')
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``
const cell = (text: string): string => text.replaceAll(/\s*\n+\s*/g, ' ').replaceAll('|', '\\|')
const getLast = (reference: string): string => reference.split('/').at(-1) ?? reference

function anchor(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
