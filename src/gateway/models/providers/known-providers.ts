import type { ProviderAddress } from '../../../shared/api/providers.ts'
import { splitWords } from '../../../shared/values/text.ts'
import { COMPLETIONS_PATH, FIM_PATH } from '../../formats/openai-chat/request.ts'
import { type KnownProvider, openaiPaths, type Traits } from './provider-traits.ts'

function bedrockAddress(template: string): ProviderAddress {
  const hint = 'The AWS region whose models you use, as at the top of the AWS console.'
  return { template, fields: [{ name: 'region', label: 'Region', hint, example: 'us-east-1' }] }
}

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

function chat(id: string, name: string, traits: Traits): KnownProvider {
  return { id, name, apiFormat: 'openai-chat', needsCredential: true, ...traits }
}

/** Its support of `n` is not documented, unless `traits` say otherwise: the gateway makes one call for each choice. */
function cloud(id: string, name: string, traits: Traits): KnownProvider {
  const quirks = { noN: true, outputLimit: 'max_tokens' } as const
  return { id, name, apiFormat: 'openai-chat', needsCredential: true, quirks, ...traits }
}

/** A server of OpenAI's API that users run themselves. */
function localServer(id: string, name: string, traits: Traits): KnownProvider {
  const usual = { completions: { path: COMPLETIONS_PATH }, quirks: { outputLimit: 'max_tokens' } } as const
  return { id, name, apiFormat: 'openai-chat', needsCredential: false, local: true, ...usual, ...traits }
}

const vertex = {
  baseUrl: '',
  hosting: 'vertex',
  authorizations: ['google-service-account', 'google-login'],
  needsCredential: true,
  priceId: 'google',
  consoleUrl: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
} as const
const bedrock = {
  baseUrl: '',
  hosting: 'bedrock',
  authorizations: ['bearer', 'aws-access-key', 'aws-login'],
  needsCredential: true,
  priceId: 'aws',
  variables: ['AWS_BEARER_TOKEN_BEDROCK'],
  consoleUrl: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
} as const

const IMAGES = ['images', 'imageEdits'] as const
const AUDIO = ['transcriptions', 'translations', 'speech'] as const

/** Vendors that users can configure without knowing an address. Sources: each vendor's API reference, in November 2026. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: 'sandbox',
    name: 'Sandbox',
    apiFormat: 'sandbox',
    baseUrl: '',
    needsCredential: false,
  },
  chat('openai', 'OpenAI', {
    baseUrl: 'https://api.openai.com/v1',
    otherFormats: ['openai-responses'],
    batches: true,
    webSocket: true,
    priceId: 'openai',
    consoleUrl: 'https://platform.openai.com/api-keys',
    // Source: OpenAI's list of models, "Completions". Others answer 404.
    completions: { path: COMPLETIONS_PATH, models: /^(gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/ },
    quirks: { outputLimit: 'max_completion_tokens', openaiOwned: true },
    passThrough: openaiPaths('embeddings', 'moderations', ...IMAGES, ...AUDIO),
  }),
  {
    id: 'anthropic',
    name: 'Anthropic',
    apiFormat: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    needsCredential: true,
    batches: true,
    priceId: 'anthropic',
    consoleUrl: 'https://console.anthropic.com/settings/keys',
  },
  {
    id: 'claude-plan',
    name: 'Claude plan',
    apiFormat: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    authorizations: ['bearer'],
    needsCredential: false,
    priceId: 'anthropic',
  },
  {
    id: 'chatgpt-plan',
    name: 'ChatGPT plan',
    apiFormat: 'openai-responses',
    baseUrl: 'https://chatgpt.com/backend-api/codex',
    authorizations: ['bearer'],
    needsCredential: false,
    priceId: 'openai',
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
  chat('openrouter', 'OpenRouter', {
    baseUrl: 'https://openrouter.ai/api/v1',
    priceId: 'openrouter',
    consoleUrl: 'https://openrouter.ai/settings/keys',
    completions: { path: COMPLETIONS_PATH },
    // It calls OpenAI's models through their Responses API.
    quirks: { outputLimit: 'either', reasonsWithTools: true, cacheControl: true },
    passThrough: openaiPaths('embeddings'),
  }),
  chat('groq', 'Groq', {
    baseUrl: 'https://api.groq.com/openai/v1',
    priceId: 'groq',
    consoleUrl: 'https://console.groq.com/keys',
    quirks: { noN: true, outputLimit: 'either' },
    passThrough: openaiPaths(...AUDIO),
  }),
  chat('mistral', 'Mistral', {
    baseUrl: 'https://api.mistral.ai/v1',
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
      dropAssistantFields: splitWords(`
        reasoning_content reasoning reasoning_details refusal annotations audio content_parts`),
    },
    passThrough: openaiPaths('embeddings', 'moderations', 'transcriptions', 'speech'),
  }),
  chat('deepseek', 'DeepSeek', {
    baseUrl: 'https://api.deepseek.com/v1',
    priceId: 'deepseek',
    consoleUrl: 'https://platform.deepseek.com/api_keys',
    quirks: { noN: true, outputLimit: 'max_tokens' },
  }),
  chat('xai', 'xAI', {
    baseUrl: 'https://api.x.ai/v1',
    priceId: 'x-ai',
    consoleUrl: 'https://console.x.ai',
    quirks: { additiveReasoning: true, outputLimit: 'either' },
    passThrough: openaiPaths(...IMAGES),
  }),
  chat('together', 'Together', {
    baseUrl: 'https://api.together.xyz/v1',
    priceId: 'together',
    consoleUrl: 'https://api.together.ai/settings/api-keys',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings', 'rerank', 'images', ...AUDIO),
  }),
  chat('azure', 'Azure OpenAI', {
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
    batches: true,
    otherFormats: ['openai-responses'],
    authorizations: ['api-key', 'azure-login', 'entra-client-secret'],
    priceId: 'azure',
    modelVendor: 'openai',
    variables: ['AZURE_OPENAI_API_KEY'],
    consoleUrl: 'https://portal.azure.com/#browse/Microsoft.CognitiveServices%2Faccounts',
    quirks: { outputLimit: 'max_completion_tokens', openaiOwned: true },
    passThrough: openaiPaths('embeddings', ...IMAGES, ...AUDIO),
  }),
  {
    ...bedrock,
    id: 'bedrock',
    name: 'Amazon Bedrock',
    apiFormat: 'anthropic-messages',
    otherModels: {
      models: /^(?!.*(?:anthropic\.|claude))/,
      unnamed: /:(?:application-inference-profile|custom-model-deployment|provisioned-model)\//,
      apiFormat: 'bedrock-converse',
    },
    address: bedrockAddress('https://bedrock-runtime.{region}.amazonaws.com'),
    modelVendor: 'anthropic',
  },
  {
    ...bedrock,
    id: 'bedrock-openai',
    name: 'Amazon Bedrock (OpenAI)',
    apiFormat: 'openai-chat',
    otherFormats: ['openai-responses'],
    address: bedrockAddress('https://bedrock-runtime.{region}.amazonaws.com/openai/v1'),
    modelVendor: 'openai',
    quirks: { noN: true, outputLimit: 'max_completion_tokens' },
  },
  {
    ...vertex,
    id: 'vertex',
    name: 'Google Vertex AI (Gemini)',
    apiFormat: 'gemini-generate',
    address: vertexAddress('google'),
    listedModels: /^gemini-\d(?!.*(?:computer-use|robotics))/,
  },
  {
    ...vertex,
    id: 'vertex-claude',
    name: 'Google Vertex AI (Claude)',
    apiFormat: 'anthropic-messages',
    address: vertexAddress('anthropic'),
    modelVendor: 'anthropic',
    listedModels: /^claude-/,
  },
  cloud('fireworks', 'Fireworks', {
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    priceId: 'fireworks',
    consoleUrl: 'https://app.fireworks.ai/settings/users/api-keys',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings'),
  }),
  cloud('cerebras', 'Cerebras', {
    baseUrl: 'https://api.cerebras.ai/v1',
    priceId: 'cerebras',
    consoleUrl: 'https://cloud.cerebras.ai',
    quirks: { noN: true, outputLimit: 'max_completion_tokens' },
  }),
  cloud('perplexity', 'Perplexity', {
    baseUrl: 'https://api.perplexity.ai',
    priceId: 'perplexity',
    consoleUrl: 'https://www.perplexity.ai/account/api/keys',
    // The list has the models of its agent API, which these chat completions do not serve.
    modelsPath: '/v1/models',
    listedModels: ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'],
  }),
  cloud('moonshot', 'Moonshot AI (Kimi)', {
    baseUrl: 'https://api.moonshot.ai/v1',
    priceId: 'moonshotai',
    consoleUrl: 'https://platform.moonshot.ai/console/api-keys',
  }),
  cloud('qwen', 'Alibaba Cloud (Qwen)', {
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    variables: ['DASHSCOPE_API_KEY'],
    consoleUrl: 'https://modelstudio.console.alibabacloud.com/?tab=playground#/api-key',
    passThrough: openaiPaths('embeddings'),
  }),
  cloud('zai', 'Z.ai (GLM)', {
    baseUrl: 'https://api.z.ai/api/paas/v4',
    priceId: 'zai',
    consoleUrl: 'https://z.ai/manage-apikey/apikey-list',
  }),
  cloud('minimax', 'MiniMax', {
    baseUrl: 'https://api.minimax.io/v1',
    priceId: 'minimax',
    consoleUrl: 'https://platform.minimax.io/user-center/basic-information/interface-key',
    quirks: { noN: true },
  }),
  cloud('cohere', 'Cohere', {
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    priceId: 'cohere',
    consoleUrl: 'https://dashboard.cohere.com/api-keys',
    passThrough: openaiPaths('embeddings'),
  }),
  cloud('huggingface', 'Hugging Face', {
    baseUrl: 'https://router.huggingface.co/v1',
    variables: ['HF_TOKEN'],
    consoleUrl: 'https://huggingface.co/settings/tokens',
  }),
  cloud('nvidia', 'NVIDIA NIM', {
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    consoleUrl: 'https://build.nvidia.com/settings/api-keys',
    passThrough: openaiPaths('embeddings'),
  }),
  cloud('sambanova', 'SambaNova', {
    baseUrl: 'https://api.sambanova.ai/v1',
    consoleUrl: 'https://cloud.sambanova.ai/apis',
  }),
  cloud('deepinfra', 'DeepInfra', {
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    consoleUrl: 'https://deepinfra.com/dash/api_keys',
    completions: { path: COMPLETIONS_PATH },
    quirks: { outputLimit: 'max_tokens' },
    passThrough: openaiPaths('embeddings'),
  }),
  cloud('novita', 'Novita AI', {
    baseUrl: 'https://api.novita.ai/openai/v1',
    priceId: 'novita',
    consoleUrl: 'https://novita.ai/settings/key-management',
  }),
  cloud('nebius', 'Nebius Token Factory', {
    baseUrl: 'https://api.tokenfactory.nebius.com/v1',
    consoleUrl: 'https://tokenfactory.nebius.com',
  }),
  cloud('baseten', 'Baseten', {
    baseUrl: 'https://inference.baseten.co/v1',
    priceId: 'baseten',
    consoleUrl: 'https://app.baseten.co/settings/api_keys',
  }),
  cloud('siliconflow', 'SiliconFlow', {
    baseUrl: 'https://api.siliconflow.com/v1',
    consoleUrl: 'https://cloud.siliconflow.com/account/ak',
    passThrough: openaiPaths('embeddings'),
  }),
  cloud('vercel', 'Vercel AI Gateway', {
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
    variables: ['AI_GATEWAY_API_KEY'],
    consoleUrl: 'https://vercel.com/d?to=%2F%5Bteam%5D%2F%7E%2Fai%2Fapi-keys',
  }),
  localServer('ollama', 'Ollama', {
    baseUrl: 'http://127.0.0.1:11434/v1',
    localDetails: 'ollama',
    passThrough: openaiPaths('embeddings'),
  }),
  localServer('lmstudio', 'LM Studio', {
    baseUrl: 'http://127.0.0.1:1234/v1',
    localDetails: 'lmstudio',
    passThrough: openaiPaths('embeddings'),
  }),
  localServer('llamacpp', 'llama.cpp', {
    baseUrl: 'http://127.0.0.1:8080/v1',
    localDetails: 'llamacpp',
    passThrough: openaiPaths('embeddings', 'rerank'),
  }),
  localServer('vllm', 'vLLM', {
    baseUrl: 'http://127.0.0.1:8000/v1',
    passThrough: openaiPaths('embeddings', 'rerank', 'transcriptions', 'translations'),
  }),
]

export function findKnownProvider(id: string): KnownProvider | null {
  return knownProviders.find((row) => row.id === id) ?? null
}
