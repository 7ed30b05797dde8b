import { expect, test } from 'vitest'
import { likelyReasoning } from './reasoning-effort.ts'

test.each([
  [{}, 8_000],
  [{ reasoning_effort: 'none' }, 1_000],
  [{ reasoning_effort: 'minimal' }, 1_000],
  [{ reasoning_effort: 'low' }, 4_000],
  [{ reasoning_effort: 'a new one' }, 8_000],
  [{ reasoning: { effort: 'high' } }, 20_000],
  [{ reasoning: { effort: 'xhigh' } }, 20_000],
  [{ reasoning: { max_tokens: 3_000 } }, 4_000],
  [{ reasoning: { enabled: false } }, 1_000],
  [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, 20_000],
  [{ thinking: { type: 'enabled', budget_tokens: 6_000 } }, 7_000],
  [{ thinking: { type: 'disabled' } }, 1_000],
  [{ thinking_budget: 500 }, 1_500],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, 1_000],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }, 8_000],
  [{ generation_config: { thinking_config: { thinking_budget: 2_000 } } }, 3_000],
  [{ generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }, 4_000],
])('%j is likely to need %d output tokens', (sent, tokens) => {
  expect(likelyReasoning(sent)).toBe(tokens)
})
