import { z } from 'zod'
import { defineTool } from '../../../cli/mcp/tool.ts'
import { RuleList } from '../api/rules.ts'
import { describeSums } from '../api/texts.ts'

export const listRules = defineTool({
  name: 'list_rules',
  title: 'Rules',
  description:
    'The rules that may serve requests with another model, lower their effort, remove premium tiers, ask the owner first or refuse them, and what they did in the last 30 days. The header X-Tollgate-Rule of an answer names the rule that acted.',
  input: z.object({}),
  output: RuleList,
  async run(_, caller) {
    const list = await caller.call('listRules')
    const lines = list.data.map((rule) =>
      [`${rule.mode}: ${rule.sentence}`, describeSums(rule)].filter(Boolean).join(' '),
    )
    return { text: lines.length === 0 ? 'There are no rules.' : lines.join('\n'), result: list }
  },
})
