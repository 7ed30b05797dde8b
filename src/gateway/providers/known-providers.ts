import type { Authorization } from '../../shared/authorization.ts'
import type { ProviderAddress } from '../../shared/provider-address.ts'
import type { ApiFormat, ProviderFormat } from '../../shared/providers.ts'
import type { LocalDetails } from '../formats/local-servers.ts'
import { COMPLETIONS_PATH, FIM_PATH } from '../formats/openai-completions/request.ts'
import {
  DEFAULT_PATHS,
  type PassThroughEndpoint,
  type PassThroughPaths,
} from '../formats/pass-through/pass-through.ts'
import type { Hosting, Quirks, TextCompletions } from '../formats/target.ts'

export interface KnownProvider {
  id: string
  name: string
  apiFormat: ProviderFormat
  /** Empty where `address` makes it of what the user enters. */
  baseUrl: string
  address?: ProviderAddress
  /** A cloud that serves the format in its own way. */
  hosting?: Hosting
  /** How it can be authorized, the default first; absent: as the API format defines it. */
  authorizations?: readonly Authorization[]
  /** Further formats that the base URL serves, for clients of these formats. */
  otherFormats?: readonly ApiFormat[]
  /** The models that have text completions; absent if none have. */
  completions?: TextCompletions
  needsCredential: boolean
  /** Runs on the user's own machine, where its models are free. */
  local?: true
  /** How it reports more about its models than OpenAI's model list does. */
  localDetails?: LocalDetails
  /** The vendor's id in the price database. */
  priceId?: string
  /** The vendor of its models in the model data, where that is not `priceId`. */
  modelVendor?: string
  /** Where it lists its models, if not as the API format defines it. */
  modelsPath?: string
  /** The models of `modelVendor` that it offers, where it has no list of them. */
  listedModels?: RegExp
  /** Environment variables besides `<ID>_API_KEY` that usually contain the credential. */
  variables?: readonly string[]
  /** Where the user creates a credential. */
  consoleUrl?: string
  quirks?: Quirks
  /** Where it serves what is passed through: below its base URL, or at a URL of its own. */
  passThrough?: PassThroughPaths
}

/** Paths of OpenAI's API. */
function openaiPaths(...endpoints: readonly PassThroughEndpoint[]): PassThroughPaths {
  return Object.fromEntries(endpoints.map((endpoint) => [endpoint, DEFAULT_PATHS[endpoint]]))
}

const bedrockAuthorizations = ['bearer', 'aws-access-key', 'aws-login'] as const
const bedrockFields: ProviderAddress['fields'] = [
  {
    name: 'region',
    label: 'Region',
    hint: 'The AWS region whose models you use, as at the top of the AWS console.',
    example: 'us-east-1',
  },
]

function vertexAddress(publisher: string): ProviderAddress {
  return {
    template: `https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/${publisher}`,
    fields: [
      {
        name: 'project',
        label: 'Project ID',
        hint: 'In the Google Cloud console, in the list of projects: the ID, not the name.',
        example: 'my-project',
      },
      {
        name: 'location',
        label: 'Location',
        hint: 'A region such as europe-west4, or global. The newest models are often only in global.',
        example: 'global',
      },
    ],
    exceptions: {
      'https://global-aiplatform.googleapis.com': 'https://aiplatform.googleapis.com',
      'https://us-aiplatform.googleapis.com': 'https://aiplatform.us.rep.googleapis.com',
      'https://eu-aiplatform.googleapis.com': 'https://aiplatform.eu.rep.googleapis.com',
    },
  }
}

/** Vendors that users can configure without knowing an address. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: 'sandbox',
    name: 'Sandbox',
    apiFormat: 'sandbox',
    baseUrl: '',
    needsCredential: false,
    passThrough: openaiPaths('embeddings'),
  },
  {
    id: 'openai',
    name: 'OpenAI',
    apiFormat: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    otherFormats: ['openai-responses'],
    needsCredential: true,
    priceId: 'openai',
    consoleUrl: 'https://platform.openai.com/api-keys',
    // Source: OpenAI's list of models, "Completions". Others answer 404.
    completions: { path: COMPLETIONS_PATH, models: /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/ },
    quirks: { outputLimit: 'max_completion_tokens', openaiOwned: true },
    passThrough: openaiPaths(
      'embeddings',
      'moderations',
      'images',
      'imageEdits',
      'transcriptions',
      'translations',
      'speech',
    ),
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    apiFormat: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    needsCredential: true,
    priceId: 'anthropic',
    consoleUrl: 'https://console.anthropic.com/settings/keys',
  },
  {
    id: 'gemini',
    name: 'Google Gemini',
    apiFormat: 'gemini-generate',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    needsCredential: true,
    priceId: 'google',
    variables: ['GOOGLE_API_KEY'],
    consoleUrl: 'https://aistudio.google.com/apikey',
    passThrough: { embeddings: '/openai/embeddings', images: '/openai/images/generations' },
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    apiFormat: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    needsCredential: true,
    priceId: 'openrouter',
    consoleUrl: 'https://openrouter.ai/settings/keys',
    completions: { path: COMPLETIONS_PATH },
    // It calls OpenAI's models through their Responses API.
    quirks: { outputLimit: 'either', reasonsWithTools: true, cacheControl: true },
    passThrough: openaiPaths('embeddings'),
  },
  {
    id: 'groq',
    name: 'Groq',
    apiFormat: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    needsCredential: true,
    priceId: 'groq',
    consoleUrl: 'https://console.groq.com/keys',
    quirks: { noN: true, outputLimit: 'either' },
    passThrough: openaiPaths('transcriptions', 'translations', 'speech'),
  },
  {
    id: 'mistral',
    name: 'Mistral',
    apiFormat: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    needsCredential: true,
    priceId: 'mistral',
    consoleUrl: 'https://console.mistral.ai/api-keys',
    // Source: Mistral's documentation, "Fill in the middle".
    completions: { path: FIM_PATH, models: /^codestral/ },
    quirks: {
      noStreamOptions: true,
      outputLimit: 'max_tokens',
      renameFields: { seed: 'random_seed' },
      dropFields: ['user', 'logprobs', 'top_logprobs', 'logit_bias', 'store', 'metadata', 'service_tier'],
      // 422 `extra_forbidden` for each (BerriAI/litellm#30835, charmbracelet/crush#1590).
      dropAssistantFields: [
        'reasoning_content',
        'reasoning',
        'reasoning_details',
        'refusal',
        'annotations',
        'audio',
        'content_parts',
      ],
    },
    passThrough: openaiPaths('embeddings', 'moderations', 'transcriptions', 'speech'),
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    apiFormat: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    needsCredential: true,
    priceId: 'deepseek',
    consoleUrl: 'https://platform.deepseek.com/api_keys',
    quirks: { noN: true, outputLimit: 'max_tokens' },
  },
  {
    id: 'xai',
    name: 'xAI',
    apiFormat: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    needsCredential: true,
    priceId: 'x-ai',
    consoleUrl: 'https://console.x.ai',
    quirks: { additiveReasoning: true, outputLimit: 'either' },
    passThrough: openaiPaths('images', 'imageEdits'),
  },
  {
    id: 'together',
    name: 'Together',
    apiFormat: 'openai-chat',
    baseUrl: 'https://api.together.xyz/v1',
    needsCredential: true,
    priceId: 'together',
    consoleUrl: 'https://api.together.ai/settings/api-keys',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings', 'rerank', 'images', 'transcriptions', 'translations', 'speech'),
  },
  {
    id: 'azure',
    name: 'Azure OpenAI',
    apiFormat: 'openai-chat',
    baseUrl: '',
    address: {
      template: 'https://{resource}.openai.azure.com/openai/v1',
      fields: [
        {
          name: 'resource',
          label: 'Resource name',
          hint: 'In the Azure portal, under “Keys and Endpoint” of the resource: the first part of the endpoint.',
          example: 'my-resource',
        },
      ],
    },
    hosting: 'azure',
    otherFormats: ['openai-responses'],
    authorizations: ['api-key'],
    needsCredential: true,
    priceId: 'azure',
    modelVendor: 'openai',
    variables: ['AZURE_OPENAI_API_KEY'],
    consoleUrl: 'https://portal.azure.com/#browse/Microsoft.CognitiveServices%2Faccounts',
    quirks: { outputLimit: 'max_completion_tokens', openaiOwned: true },
    passThrough: openaiPaths(
      'embeddings',
      'images',
      'imageEdits',
      'transcriptions',
      'translations',
      'speech',
    ),
  },
  {
    id: 'bedrock',
    name: 'Amazon Bedrock (Claude)',
    apiFormat: 'anthropic-messages',
    baseUrl: '',
    address: {
      template: 'https://bedrock-runtime.{region}.amazonaws.com',
      fields: bedrockFields,
    },
    hosting: 'bedrock',
    authorizations: bedrockAuthorizations,
    needsCredential: true,
    priceId: 'aws',
    modelVendor: 'anthropic',
    variables: ['AWS_BEARER_TOKEN_BEDROCK'],
    consoleUrl: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
  },
  {
    id: 'bedrock-openai',
    name: 'Amazon Bedrock (OpenAI)',
    apiFormat: 'openai-chat',
    otherFormats: ['openai-responses'],
    baseUrl: '',
    address: {
      template: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
      fields: bedrockFields,
    },
    hosting: 'bedrock',
    authorizations: bedrockAuthorizations,
    needsCredential: true,
    priceId: 'aws',
    modelVendor: 'openai',
    variables: ['AWS_BEARER_TOKEN_BEDROCK'],
    consoleUrl: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    quirks: { noN: true, outputLimit: 'max_completion_tokens' },
  },
  {
    id: 'vertex',
    name: 'Google Vertex AI (Gemini)',
    apiFormat: 'gemini-generate',
    baseUrl: '',
    address: vertexAddress('google'),
    hosting: 'vertex',
    authorizations: ['google-service-account', 'google-login'],
    needsCredential: true,
    priceId: 'google',
    listedModels: /^gemini-\d(?!.*(?:computer-use|robotics))/,
    consoleUrl: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  },
  {
    id: 'vertex-claude',
    name: 'Google Vertex AI (Claude)',
    apiFormat: 'anthropic-messages',
    baseUrl: '',
    address: vertexAddress('anthropic'),
    hosting: 'vertex',
    authorizations: ['google-service-account', 'google-login'],
    needsCredential: true,
    priceId: 'google',
    modelVendor: 'anthropic',
    listedModels: /^claude-/,
    consoleUrl: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  },
  {
    id: 'ollama',
    name: 'Ollama',
    apiFormat: 'openai-chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
    needsCredential: false,
    local: true,
    localDetails: 'ollama',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings'),
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    apiFormat: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1234/v1',
    needsCredential: false,
    local: true,
    localDetails: 'lmstudio',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings'),
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    apiFormat: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8080/v1',
    needsCredential: false,
    local: true,
    localDetails: 'llamacpp',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings', 'rerank'),
  },
  {
    id: 'vllm',
    name: 'vLLM',
    apiFormat: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8000/v1',
    needsCredential: false,
    local: true,
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings', 'rerank', 'transcriptions', 'translations'),
  },
]

export function knownProvider(id: string): KnownProvider | null {
  return knownProviders.find((row) => row.id === id) ?? null
}
