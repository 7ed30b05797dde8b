import type { ProviderRecord } from '../../../shared/api/providers.ts'

/** Other words that people use for a provider. */
const otherWords: Readonly<Record<string, string>> = {
  anthropic: 'claude',
  azure: 'microsoft foundry',
  bedrock: 'aws',
  'bedrock-openai': 'aws gpt',
  gemini: 'ai studio',
  huggingface: 'hf',
  llamacpp: 'llama-server gguf',
  minimax: 'hailuo',
  openai: 'gpt chatgpt',
  qwen: 'dashscope model studio tongyi',
  vertex: 'gcp cloud',
  'vertex-claude': 'gcp cloud anthropic',
  xai: 'grok',
  zai: 'zhipu bigmodel',
}

/** Providers that have every word of the search in what they are called, those whose name begins with it first. */
export function findProviders(providers: readonly ProviderRecord[], search: string): ProviderRecord[] {
  const text = search.trim().toLowerCase()
  const words = text.split(/\s+/).filter(Boolean)
  const found = providers.filter((provider) => {
    const { id, name, baseUrl } = provider
    const all = `${name} ${id} ${baseUrl ?? ''} ${otherWords[id] ?? ''}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  const begins = ({ name }: ProviderRecord) => name.toLowerCase().startsWith(text)
  return text === '' ? found : [...found.filter(begins), ...found.filter((provider) => !begins(provider))]
}
