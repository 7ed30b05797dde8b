// Owns what is known of model families whose vendors' lists say nothing of capabilities: rows of data, first match wins.
import type { Capability } from '../../shared/models.ts'

interface Family {
  pattern: RegExp
  capabilities: readonly Capability[]
  maxOutputTokens: number | null
}

const text: readonly Capability[] = ['tools', 'json', 'streaming']
const seeing: readonly Capability[] = ['vision', ...text]
const thinking: readonly Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming']

const families: readonly Family[] = [
  { pattern: /^(gpt-5|o[134])/, capabilities: thinking, maxOutputTokens: 128_000 },
  { pattern: /^(gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt-4o)/, capabilities: seeing, maxOutputTokens: 32_768 },
  { pattern: /^gpt-(4|3\.5)/, capabilities: text, maxOutputTokens: 8_192 },
  { pattern: /^claude-/, capabilities: thinking, maxOutputTokens: 64_000 },
  { pattern: /^gemini-/, capabilities: thinking, maxOutputTokens: 65_536 },
  { pattern: /^grok-/, capabilities: thinking, maxOutputTokens: null },
  { pattern: /^(pixtral|mistral-(medium|small))/, capabilities: seeing, maxOutputTokens: null },
  {
    pattern: /^deepseek-/,
    capabilities: ['tools', 'json', 'reasoning', 'streaming'],
    maxOutputTokens: 65_536,
  },
]

/** The family of a model id, its vendor's prefix (`openai/gpt-4o`) ignored; null when none is known. */
export function familyOf(modelId: string): Family | null {
  const bare = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase()
  return families.find((family) => family.pattern.test(bare)) ?? null
}
