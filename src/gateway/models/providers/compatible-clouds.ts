// Vendors that serve OpenAI's chat completions. Sources: each vendor's API reference, in November 2026. A vendor whose
// support of `n` is not documented has `noN`, as most do: the gateway then makes one call for each choice.
import { COMPLETIONS_PATH } from '../../formats/openai-chat/request.ts'
import { type KnownProvider, openaiPaths, type Traits } from './provider-traits.ts'

/** An OpenAI-compatible vendor without `n`, unless `traits` say otherwise. */
function cloud(id: string, name: string, traits: Traits): KnownProvider {
  const quirks = { noN: true, outputLimit: 'max_tokens' } as const
  return { id, name, apiFormat: 'openai-chat', needsCredential: true, quirks, ...traits }
}

export const compatibleClouds: readonly KnownProvider[] = [
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
]
