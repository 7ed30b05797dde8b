// The members of the OpenAPI document that its pages show.
import { z } from 'zod'
import { openApiDocument } from '../../gateway/operations/openapi.ts'

export const SchemaObject = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  get items() {
    return SchemaObject.optional()
  },
  get properties() {
    return z.record(z.string(), SchemaObject).optional()
  },
  required: z.array(z.string()).optional(),
  get anyOf() {
    return z.array(SchemaObject).optional()
  },
  get oneOf() {
    return z.array(SchemaObject).optional()
  },
  get allOf() {
    return z.array(SchemaObject).optional()
  },
  description: z.string().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})
export type SchemaObject = z.infer<typeof SchemaObject>

const Content = z.record(z.string(), z.object({ schema: SchemaObject.optional() })).optional()
const Parameter = z.object({
  $ref: z.string().optional(),
  name: z.string().optional(),
  in: z.string().optional(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: SchemaObject.optional(),
})
const OperationObject = z.object({
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content })),
})
export type OperationObject = z.infer<typeof OperationObject>

const OpenApi = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), OperationObject)),
  components: z.object({
    schemas: z.record(z.string(), SchemaObject),
    parameters: z.record(z.string(), Parameter),
  }),
})
export type OpenApi = z.infer<typeof OpenApi>

export function readOpenApi(): OpenApi {
  return OpenApi.parse(openApiDocument(''))
}
