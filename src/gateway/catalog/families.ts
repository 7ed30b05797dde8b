// Owns what is known of model families whose vendors' lists say nothing of capabilities: rows of data, first match wins.
import type { Capability } from '../../shared/models.ts'
import type { Quirks } from '../upstream/target.ts'

interface Family {
  pattern: RegExp
  capabilities: readonly Capability[]
  /** Tokens; null when nobody says. */
  maxOutputTokens: number | null
  /** What its models want, whoever serves them. */
  quirks?: Quirks
}

const text: readonly Capability[] = ['tools', 'json', 'streaming']
const seeing: readonly Capability[] = ['vision', ...text]
const thinking: readonly Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming']

/** Models that choose their own sampling answer these fields with 400. */
const NO_SAMPLING = ['temperature', 'top_p', 'top_k']
const CLAUDE_EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Sources: the vendors' model pages and API references, as of 2026-11. */
const families: readonly Family[] = [
  { pattern: /^(gpt-[56]|o[134])/, capabilities: thinking, maxOutputTokens: 128_000 },
  { pattern: /^(gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt-4o)/, capabilities: seeing, maxOutputTokens: 32_768 },
  { pattern: /^gpt-(4|3\.5)/, capabilities: text, maxOutputTokens: 8_192 },
  // Always thinking.
  {
    pattern: /^claude-opus-5-5/,
    capabilities: thinking,
    maxOutputTokens: 128_000,
    quirks: { efforts: CLAUDE_EFFORTS.slice(1), dropFields: NO_SAMPLING, noForcedTools: true },
  },
  {
    pattern: /^claude-(sonnet-5-5|fable-5)/,
    capabilities: thinking,
    maxOutputTokens: 128_000,
    quirks: { efforts: CLAUDE_EFFORTS.slice(1), dropFields: NO_SAMPLING },
  },
  {
    pattern: /^claude-(opus|sonnet)-4-6/,
    capabilities: thinking,
    maxOutputTokens: 128_000,
    quirks: { efforts: ['none', 'low', 'medium', 'high', 'max'] },
  },
  {
    pattern: /^claude-((opus|sonnet|haiku)-4-5|sonnet-4|3-7)/,
    capabilities: thinking,
    maxOutputTokens: 64_000,
    quirks: { thinking: 'budget' },
  },
  {
    pattern: /^claude-opus-4(-[01]|-2025|$)/,
    capabilities: thinking,
    maxOutputTokens: 32_000,
    quirks: { thinking: 'budget' },
  },
  { pattern: /^claude-3-5/, capabilities: seeing, maxOutputTokens: 8_192, quirks: { thinking: 'none' } },
  { pattern: /^claude-3-/, capabilities: seeing, maxOutputTokens: 4_096, quirks: { thinking: 'none' } },
  {
    pattern: /^claude-/,
    capabilities: thinking,
    maxOutputTokens: 128_000,
    quirks: { efforts: CLAUDE_EFFORTS, dropFields: NO_SAMPLING },
  },
  {
    pattern: /^gemini-(1|2\.0)/,
    capabilities: seeing,
    maxOutputTokens: 8_192,
    quirks: { thinking: 'none' },
  },
  {
    pattern: /^gemini-2\.5-pro/,
    capabilities: thinking,
    maxOutputTokens: 65_536,
    quirks: { thinking: 'budget', efforts: ['minimal', 'low', 'medium', 'high'] },
  },
  {
    pattern: /^gemini-2\.5/,
    capabilities: thinking,
    maxOutputTokens: 65_536,
    quirks: { thinking: 'budget' },
  },
  {
    pattern: /^gemini-(3-flash|3\.[156]-flash|robotics)/,
    capabilities: thinking,
    maxOutputTokens: 65_536,
    quirks: { efforts: ['minimal', 'low', 'medium', 'high'] },
  },
  {
    pattern: /^gemini-4/,
    capabilities: thinking,
    maxOutputTokens: 32_768,
    quirks: { efforts: ['low', 'medium', 'high'] },
  },
  {
    pattern: /^gemini-/,
    capabilities: thinking,
    maxOutputTokens: 65_536,
    quirks: { efforts: ['low', 'medium', 'high'] },
  },
  { pattern: /^gemma-/, capabilities: seeing, maxOutputTokens: 32_768, quirks: { thinking: 'none' } },
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
