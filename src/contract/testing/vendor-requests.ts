// The requests of the vendors' own packages, as they are sent.
import type Anthropic from '@anthropic-ai/sdk'
import type {
  Content,
  GenerateContentConfig,
  GenerationConfig,
  GenerationOutputConfig,
  Tool,
} from '@google/genai'
import type OpenAI from 'openai'

/** Members of the SDK's own, which it does not send. */
type OfGoogleSdk = 'abortSignal' | 'automaticContinuation' | 'automaticFunctionCalling' | 'httpOptions'

/** Members that the SDK does not send in the generation config. */
type OutsideGoogleConfig =
  | 'cachedContent'
  | 'continuationToken'
  | 'labels'
  | 'modelArmorConfig'
  | 'safetySettings'
  | 'serviceTier'
  | 'store'
  | 'toolConfig'

type GoogleConfig = Omit<
  GenerateContentConfig,
  OfGoogleSdk | OutsideGoogleConfig | 'generationOutputConfig' | 'systemInstruction' | 'tools'
>

interface GoogleRequest extends Pick<GenerateContentConfig, OutsideGoogleConfig> {
  contents: Content[]
  systemInstruction?: Content
  tools?: Tool[]
  outputConfig?: GenerationOutputConfig
  generationConfig?: GoogleConfig & Omit<GenerationConfig, keyof GoogleConfig>
}

/** The bytes of a file, which its type in the SDK hides. */
type WithFiles<Request, Files extends keyof Request> = Omit<Request, Files> & { [File in Files]: string }

export interface VendorRequests {
  'openai-chat': OpenAI.ChatCompletionCreateParamsNonStreaming
  'openai-responses': OpenAI.Responses.ResponseCreateParamsNonStreaming
  'anthropic-messages': Anthropic.Beta.Messages.MessageCreateParamsNonStreaming
  'gemini-generate': GoogleRequest
  completions: OpenAI.CompletionCreateParamsNonStreaming
  embeddings: OpenAI.EmbeddingCreateParams
  moderations: OpenAI.ModerationCreateParams
  images: OpenAI.ImageGenerateParamsNonStreaming
  imageEdits: WithFiles<OpenAI.ImageEditParamsNonStreaming, 'image' | 'markup' | 'mask'>
  speech: OpenAI.Audio.SpeechCreateParams
  transcriptions: WithFiles<OpenAI.Audio.TranscriptionCreateParamsNonStreaming, 'file'>
  translations: WithFiles<OpenAI.Audio.TranslationCreateParams, 'file'>
}
