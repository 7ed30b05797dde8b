// A strict schema of the vendor's request format. The compiler checks it against the types of the vendor's SDK.
import {
  type Content,
  FunctionCallingConfigMode,
  type GenerationConfig,
  ThinkingLevel,
  type Tool,
  type ToolConfig,
  Type,
} from '@google/genai'
import { z } from 'zod'

const Args = z.record(z.string(), z.unknown())
const Part = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ inlineData: z.strictObject({ mimeType: z.string(), data: z.base64() }) }),
  z.strictObject({ fileData: z.strictObject({ fileUri: z.url(), mimeType: z.string().optional() }) }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name: z.string().min(1), args: Args }),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({
    functionResponse: z.strictObject({ id: z.string().optional(), name: z.string().min(1), response: Args }),
  }),
])

/** The schema of function declarations: Gemini answers 400 to anything else. Its JSON form has counts as strings. */
const Schema = z.strictObject({
  type: z.enum(Type).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  nullable: z.boolean().optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.coerce.string().optional(),
  maxItems: z.coerce.string().optional(),
  minLength: z.coerce.string().optional(),
  maxLength: z.coerce.string().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
  get items() {
    return Schema.optional()
  },
  get anyOf() {
    return z.array(Schema).optional()
  },
})

const Body = z.strictObject({
  systemInstruction: z.strictObject({ parts: z.array(z.strictObject({ text: z.string() })) }).optional(),
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(Part).min(1) })).min(1),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: z.string(),
            description: z.string().optional(),
            parameters: Schema.optional(),
          }),
        ),
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(FunctionCallingConfigMode),
        allowedFunctionNames: z.array(z.string()).optional(),
      }),
    })
    .optional(),
  generationConfig: z
    .strictObject({
      temperature: z.number().optional(),
      topP: z.number().optional(),
      seed: z.int().optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      maxOutputTokens: z.int().positive().optional(),
      stopSequences: z.array(z.string()).optional(),
      responseMimeType: z.string().optional(),
      responseJsonSchema: z.unknown().optional(),
      thinkingConfig: z
        .strictObject({
          thinkingLevel: z.enum(ThinkingLevel).optional(),
          thinkingBudget: z.int().optional(),
          includeThoughts: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
})
type GeminiBody = z.infer<typeof Body>

/** Removes `undefined` from optional properties: the SDK's types do not distinguish undefined from absent. */
type Present<T> = T extends (infer Item)[]
  ? Present<Item>[]
  : T extends object
    ? { [Name in keyof T]: Present<Exclude<T[Name], undefined>> }
    : T

interface SdkBody {
  systemInstruction?: Content
  contents: Content[]
  tools?: Tool[]
  toolConfig?: ToolConfig
  generationConfig?: GenerationConfig
}

const asSdk = (body: Present<GeminiBody>): SdkBody => body

/**
 * Types the parts of a request as the vendor's SDK does. Throws when it does not match the format, or breaks a rule that
 * types cannot express: roles alternate, and the next turn has a response, by name, to every call.
 */
export function readGeminiRequest(body: unknown): SdkBody {
  const read = Body.parse(body)
  let asked: string[] = []
  let role = 'model'
  for (const content of read.contents) {
    if (content.role === role) throw new Error(`two successive turns of ${role}`)
    role = content.role
    const answered = content.parts.flatMap((part) =>
      'functionResponse' in part ? [`${part.functionResponse.id} ${part.functionResponse.name}`] : [],
    )
    if (answered.toSorted().join() !== asked.toSorted().join()) throw new Error('calls and responses differ')
    asked = content.parts.flatMap((part) =>
      'functionCall' in part ? [`${part.functionCall.id} ${part.functionCall.name}`] : [],
    )
  }
  return asSdk(omitUndefined(read))
}

function omitUndefined<T>(value: T): Present<T>
function omitUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
