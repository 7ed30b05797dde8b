// Names of the semantic conventions for generative AI, in their last published version:
// https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai
import {
  GEN_AI_OPERATION_NAME_VALUE_CHAT as CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS as EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT as GENERATE_CONTENT,
  GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION as TEXT_COMPLETION,
} from '@opentelemetry/semantic-conventions/incubating'

/** `gen_ai.provider.name` of providers whose id differs from it. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  'bedrock-openai': 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  'vertex-claude': 'gcp.vertex_ai',
  xai: 'x_ai',
}

export function providerName(providerId: string): string {
  return PROVIDER_NAMES[providerId] ?? providerId
}

/** By the end of the path. Operations that the conventions do not name have names of their own, as they allow. */
const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/\/(chat\/completions|messages|responses)$/, CHAT],
  [/\/completions$/, TEXT_COMPLETION],
  [/:(generateContent|streamGenerateContent)$/, GENERATE_CONTENT],
  [/(\/count_tokens|:countTokens)$/, 'count_tokens'],
  [/\/embeddings$/, EMBEDDINGS],
  [/\/moderations$/, 'moderation'],
  [/\/rerank$/, 'rerank'],
  [/\/images\/(generations|edits)$/, 'image_generation'],
  [/\/audio\/speech$/, 'speech'],
  [/\/audio\/(transcriptions|translations)$/, 'transcription'],
]

/** `gen_ai.operation.name` of a method and path, or a path. */
export function operationName(endpoint: string): string {
  return OPERATIONS.find(([path]) => path.test(endpoint))?.[1] ?? CHAT
}
