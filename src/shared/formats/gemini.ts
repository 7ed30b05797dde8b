// The request of Google's `generateContent` and `streamGenerateContent`. Fields that are not listed reach only providers of
// the same format. Sources: the Gemini API reference; ProtoJSON for the two spellings of a field's name.
import { z } from 'zod'

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Google accepts each field by its camelCase and by its snake_case name. Which one counts if both are there is not documented. */
function withCamelCaseNames(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value)
  if (!members.some(([name]) => name.includes('_'))) return value
  const renamed = new Map<string, unknown>()
  for (const [name, member] of members) {
    const camel = camelCase(name)
    if (renamed.has(camel)) {
      const message = `must not be given twice, as "${camel}" and by its name with underscores`
      context.addIssue({ code: 'custom', path: [camel], message, input: value })
    }
    renamed.set(camel, member)
  }
  return Object.fromEntries(renamed)
}

function message<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(withCamelCaseNames, z.looseObject(shape))
}

/** Google accepts an object instead of a list of one. */
function list<Element extends z.ZodType>(element: Element) {
  return z.preprocess(
    (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value),
    z.array(element),
  )
}

const Struct = z.record(z.string(), z.unknown())

const InlineData = message({ mimeType: z.string().min(1), data: z.string().describe('In base64.') })
const FileData = message({ fileUri: z.string().min(1), mimeType: z.string().nullish() })

const GeminiPart = message({
  text: z.string().nullish(),
  thought: z.boolean().nullish().describe('Whether the text is a summary of thoughts.'),
  thoughtSignature: z.string().nullish().describe('Must be sent back unchanged.'),
  inlineData: InlineData.nullish(),
  fileData: FileData.nullish(),
  functionCall: message({
    id: z.string().nullish(),
    name: z.string().min(1),
    args: Struct.nullish(),
  }).nullish(),
  functionResponse: message({
    id: z.string().nullish(),
    name: z.string().min(1),
    response: Struct.nullish(),
    parts: list(message({ inlineData: InlineData.nullish(), fileData: FileData.nullish() })).nullish(),
  }).nullish(),
}).meta({ id: 'GeminiPart', description: 'A part of a turn, with one of these kinds of data.' })
export type GeminiPart = z.infer<typeof GeminiPart>

const GeminiContent = message({
  role: z.string().nullish().describe('`user` or `model`. Default: `user`.'),
  parts: list(GeminiPart).nullish(),
}).meta({ id: 'GeminiContent', description: 'A turn of the conversation.' })
export type GeminiContent = z.infer<typeof GeminiContent>

const GeminiTool = message({
  functionDeclarations: list(
    message({
      name: z.string().min(1),
      description: z.string().nullish(),
      parameters: Struct.nullish().describe("In Google's `Schema`."),
      parametersJsonSchema: Struct.nullish().describe('The same as a JSON Schema.'),
    }),
  ).nullish(),
}).meta({ id: 'GeminiTool', description: "Functions that the model may call, or one of Google's own tools." })
export type GeminiTool = z.infer<typeof GeminiTool>

const GenerationConfig = message({
  maxOutputTokens: z
    .int()
    .min(1)
    .nullish()
    .describe('The most output tokens of each candidate, thoughts included.'),
  temperature: z.number().min(0).max(2).nullish(),
  topP: z.number().nullish(),
  seed: z.int().nullish(),
  presencePenalty: z.number().nullish(),
  frequencyPenalty: z.number().nullish(),
  stopSequences: z.array(z.string()).nullish(),
  candidateCount: z.int().min(1).max(128).nullish().describe('The number of candidates. Default: 1.'),
  responseMimeType: z.string().nullish().describe('`text/plain` or `application/json`.'),
  responseSchema: Struct.nullish().describe("In Google's `Schema`."),
  responseJsonSchema: Struct.nullish().describe('The same as a JSON Schema.'),
  responseModalities: z.array(z.string()).nullish(),
  responseLogprobs: z.boolean().nullish(),
  logprobs: z.int().min(0).max(20).nullish(),
  thinkingConfig: message({
    includeThoughts: z.boolean().nullish().describe('Send summaries of thoughts. Default: false.'),
    thinkingLevel: z.string().nullish().describe('`MINIMAL`, `LOW`, `MEDIUM` or `HIGH`.'),
    thinkingBudget: z
      .int()
      .min(-1)
      .nullish()
      .describe('In tokens; 0 is none, and -1 leaves it to the model.'),
  }).nullish(),
}).meta({ id: 'GeminiGenerationConfig', description: 'Options for the answer.' })
export type GenerationConfig = z.infer<typeof GenerationConfig>

export const GenerateContentRequest = message({
  contents: list(GeminiContent).describe('The conversation.'),
  systemInstruction: GeminiContent.nullish(),
  tools: list(GeminiTool).nullish(),
  toolConfig: message({
    functionCallingConfig: message({
      mode: z.string().nullish().describe('`AUTO`, `ANY`, `NONE` or `VALIDATED`.'),
      allowedFunctionNames: z.array(z.string()).nullish(),
    }).nullish(),
  }).nullish(),
  generationConfig: GenerationConfig.nullish(),
  cachedContent: z.string().nullish().describe("The name of content in Google's cache."),
}).meta({
  id: 'GenerateContentRequest',
  description:
    "A request in the format of Google's Gemini API. Fields that are not listed reach only providers of this format.",
})
export type GenerateContentRequest = z.infer<typeof GenerateContentRequest>

const GeminiUsage = z
  .looseObject({
    promptTokenCount: z.number().optional().describe('Cached tokens included.'),
    cachedContentTokenCount: z.number().optional(),
    candidatesTokenCount: z.number().optional().describe('Thoughts excluded.'),
    thoughtsTokenCount: z.number().optional(),
    totalTokenCount: z.number().optional(),
    cost: z.number().optional().describe('The cost in USD; absent when no price is known.'),
  })
  .meta({ id: 'GeminiUsageMetadata', description: 'Token counts.' })

export const GenerateContentResponse = z
  .looseObject({
    candidates: z
      .array(
        z.looseObject({
          content: GeminiContent.optional(),
          finishReason: z.string().optional().describe('Such as `STOP`, `MAX_TOKENS` or `SAFETY`.'),
          index: z.number().optional(),
        }),
      )
      .optional(),
    usageMetadata: GeminiUsage.optional(),
    modelVersion: z.string().optional().describe('The model that served.'),
    responseId: z
      .string()
      .optional()
      .describe("The id of the request record, or Google's own if the answer is passed on unchanged."),
  })
  .meta({ id: 'GenerateContentResponse', description: 'An answer, or a piece of a streamed one.' })

export const CountTokensRequest = message({
  contents: list(GeminiContent).nullish(),
  generateContentRequest: GenerateContentRequest.nullish().describe(
    'A whole request, instead of `contents`.',
  ),
}).meta({ id: 'CountTokensRequest', description: 'What to count, in one of the two fields.' })
export type CountTokensRequest = z.infer<typeof CountTokensRequest>

export const CountTokensResponse = z
  .looseObject({ totalTokens: z.number() })
  .meta({ id: 'CountTokensResponse' })
export type CountTokensResponse = z.infer<typeof CountTokensResponse>

export const GeminiModel = z
  .looseObject({
    name: z.string().describe('`models/` and the id.'),
    displayName: z.string(),
    inputTokenLimit: z.number().optional(),
    outputTokenLimit: z.number().optional(),
    supportedGenerationMethods: z.array(z.string()),
  })
  .meta({ id: 'GeminiModel', description: 'A model, as the Gemini API describes it.' })
export type GeminiModel = z.infer<typeof GeminiModel>

export const GeminiModelList = z.object({ models: z.array(GeminiModel) }).meta({ id: 'GeminiModelList' })
