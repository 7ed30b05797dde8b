// Source: the Gemini API reference, `GenerationConfig`. `topK`, `mediaResolution` and other options of the format without a
// counterpart are left out for other providers.
import type { ChatRequest } from '../../../../shared/chat.ts'
import type { GenerationConfig } from '../../../../shared/gemini.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import { EFFORTS, type Effort, THINKING_BUDGETS } from '../../chat/request-fields.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'
import { decodeSchema } from './schema.ts'

const LEVELS: readonly Effort[] = ['minimal', 'low', 'medium', 'high']

/** The weakest effort whose budget is as large; null for the model's default. */
function decodeThinking({ thinkingConfig: config }: GenerationConfig): Effort | null {
  const level = config?.thinkingLevel?.toLowerCase()
  if (level !== undefined && level !== 'thinking_level_unspecified') {
    const effort = LEVELS.find((each) => each === level)
    if (effort !== undefined) return effort
    throw invalidRequest('The level is one of "MINIMAL", "LOW", "MEDIUM" and "HIGH".', {
      param: 'generationConfig.thinkingConfig.thinkingLevel',
    })
  }
  const budget = config?.thinkingBudget ?? -1
  if (budget < 0) return null
  const sufficient = EFFORTS.filter((effort) => effort !== 'minimal' && THINKING_BUDGETS[effort] >= budget)
  return sufficient[0] ?? 'high'
}

function decodeFormat(config: GenerationConfig, only: Untranslatable): ChatRequest['response_format'] | null {
  const type = config.responseMimeType ?? 'text/plain'
  if (type === 'text/plain') return null
  if (type !== 'application/json') {
    only.add(
      `Only Google can answer with the media type "${type.slice(0, 40)}".`,
      'generationConfig.responseMimeType',
    )
    return null
  }
  const schema = config.responseJsonSchema ?? (config.responseSchema && decodeSchema(config.responseSchema))
  return schema ? { type: 'json_schema', json_schema: { name: 'response', schema } } : { type: 'json_object' }
}

/** Members that change what kind of answer it is. */
function refuseOtherMedia(config: GenerationConfig, only: Untranslatable): void {
  const other = config.responseModalities?.find((name) => name.toUpperCase() !== 'TEXT')
  if (other !== undefined)
    only.add(
      `Only Google can answer with the modality "${other.slice(0, 40)}".`,
      'generationConfig.responseModalities',
    )
  if (config.responseFormat !== undefined && config.responseFormat !== null)
    only.add('Only Google has this response format.', 'generationConfig.responseFormat')
}

export function decodeGenerationConfig(config: GenerationConfig, only: Untranslatable): Partial<ChatRequest> {
  refuseOtherMedia(config, only)
  const effort = decodeThinking(config)
  const format = decodeFormat(config, only)
  const fields = {
    max_completion_tokens: config.maxOutputTokens,
    temperature: config.temperature,
    top_p: config.topP,
    seed: config.seed,
    presence_penalty: config.presencePenalty,
    frequency_penalty: config.frequencyPenalty,
    n: config.candidateCount,
    stop: config.stopSequences?.length ? config.stopSequences : null,
    reasoning_effort: effort,
    response_format: format,
    ...(config.responseLogprobs && { logprobs: true, top_logprobs: config.logprobs }),
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )
}
