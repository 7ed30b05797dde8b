// A strict schema of the vendor's request format. The compiler checks it against the types of the vendor's SDK.
import {
  CachePointType,
  CacheTTL,
  type ConverseRequest,
  DocumentFormat,
  ImageFormat,
  OutputFormatType,
  ToolResultStatus,
  VideoFormat,
} from '@aws-sdk/client-bedrock-runtime'
import { z } from 'zod'

/** Converse answers 400 to a text of white space. */
const Text = z.string().refine((text) => text.trim() !== '', 'a text is blank')
const Id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const Json = z.record(z.string(), z.json())
const Bytes = z.strictObject({ bytes: z.base64().min(1) })

const TextBlock = z.strictObject({ text: Text })
const CachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.enum(CachePointType), ttl: z.enum(CacheTTL).optional() }),
})
const ImageBlock = z.strictObject({ image: z.strictObject({ format: z.enum(ImageFormat), source: Bytes }) })
const DocumentBlock = z.strictObject({
  document: z.strictObject({
    format: z.enum(DocumentFormat),
    name: z.string().regex(/^[\p{L}\p{N}()[\]-]+( [\p{L}\p{N}()[\]-]+)*$/u),
    source: Bytes,
  }),
})
const VideoBlock = z.strictObject({ video: z.strictObject({ format: z.enum(VideoFormat), source: Bytes }) })
const AudioBlock = z.strictObject({
  audio: z.strictObject({ format: z.enum(['wav', 'mp3']), source: Bytes }),
})
const ToolUse = z.strictObject({
  toolUse: z.strictObject({ toolUseId: Id, name: z.string().min(1), input: Json }),
})
const ToolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: Id,
    content: z.array(z.union([TextBlock, ImageBlock, DocumentBlock, VideoBlock])).min(1),
    status: z.enum(ToolResultStatus).optional(),
  }),
})
const Reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
    z.strictObject({ redactedContent: z.base64() }),
  ]),
})
const Block = z.union([
  TextBlock,
  CachePoint,
  ImageBlock,
  DocumentBlock,
  VideoBlock,
  AudioBlock,
  ToolUse,
  ToolResult,
  Reasoning,
])

const Body = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(Block).min(1) }))
    .min(1),
  system: z.array(z.union([TextBlock, CachePoint])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({
              toolSpec: z.strictObject({
                name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
                description: z.string().min(1).optional(),
                inputSchema: z.strictObject({ json: Json.refine(({ type }) => type === 'object') }),
              }),
            }),
            CachePoint,
          ]),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name: z.string() }) }),
        ])
        .optional(),
    })
    .optional(),
  additionalModelRequestFields: Json.optional(),
  outputConfig: z
    .strictObject({
      textFormat: z.strictObject({
        type: z.enum(OutputFormatType),
        structure: z.strictObject({
          jsonSchema: z.strictObject({
            schema: z.string(),
            name: z.string().optional(),
            description: z.string().optional(),
          }),
        }),
      }),
    })
    .optional(),
})
export type ConverseBody = z.infer<typeof Body>

/** A type as JSON has it: bytes are in base64. */
type Wire<T> = T extends Uint8Array
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Name in keyof T]: Wire<T[Name]> }
      : T

const asSdk = (body: ConverseBody): Wire<Omit<ConverseRequest, 'modelId'>> => body

/**
 * Throws when the request does not match the format, or breaks a rule that types cannot express: roles alternate and the user
 * begins, the next turn has a result of every call, tools are there if calls are, names of documents differ, a document has a text
 * next to it, and there are four points of the cache at most, those for an hour before the others.
 */
export function readConverseRequest(body: unknown): ConverseBody {
  const read = Body.parse(body)
  asSdk(read)
  const blocks = read.messages.flatMap(({ content }) => content)
  if (!read.toolConfig && blocks.some((block) => 'toolUse' in block || 'toolResult' in block))
    throw new Error('there are calls without tools')
  checkTurns(read)
  const names = blocks.flatMap((block) => ('document' in block ? [block.document.name] : []))
  if (new Set(names).size < names.length) throw new Error('two documents have one name')
  const parts = [...(read.toolConfig?.tools ?? []), ...(read.system ?? []), ...blocks]
  const points = parts.flatMap((part) => ('cachePoint' in part ? [part.cachePoint.ttl ?? '5m'] : []))
  if (points.length > 4) throw new Error('there are more than four points of the cache')
  if (points.indexOf('5m') >= 0 && points.lastIndexOf('1h') > points.indexOf('5m'))
    throw new Error('a point for an hour follows one for five minutes')
  return read
}

function checkTurns({ messages }: ConverseBody): void {
  let asked: string[] = []
  let role = 'assistant'
  for (const turn of messages) {
    if (turn.role === role) throw new Error(`two successive turns of ${role}`)
    role = turn.role
    const { content } = turn
    if (content[0] && 'cachePoint' in content[0]) throw new Error('a turn begins with a point of the cache')
    const results = content.flatMap((block) => ('toolResult' in block ? [block.toolResult.toolUseId] : []))
    if (results.toSorted().join() !== asked.toSorted().join()) throw new Error('calls and results differ')
    asked = content.flatMap((block) => ('toolUse' in block ? [block.toolUse.toolUseId] : []))
    const needsText = content.some((block) => 'document' in block)
    if (needsText && !content.some((block) => 'text' in block)) throw new Error('a document has no text')
  }
}
