import { z } from 'zod'
import { defineTool } from '../../../cli/mcp/tool.ts'
import { CachingReport } from '../api/caching.ts'
import { CAUSE_NAMES, describeCache, describeTools } from '../api/texts.ts'

const DAY_MS = 86_400_000

export const explainCache = defineTool({
  name: 'explain_prompt_cache',
  title: 'Prompt caches',
  description:
    "What providers' prompt caches saved, why they broke and what that cost, and what fills the prompts: instructions, tools, history and results.",
  input: z.object({
    session: z.string().optional().describe('Only one session, by its ID; without it, the last days.'),
    days: z.int().min(1).max(366).default(30),
  }),
  output: CachingReport,
  async run({ session, days }, caller) {
    const from = new Date(Date.now() - days * DAY_MS).toISOString()
    const report = await caller.call('getCaching', { query: session === undefined ? { from } : { session } })
    const causes = report.causes.map(
      ({ cause, breaks, advice }) => `${CAUSE_NAMES[cause]} (${breaks}): ${advice}`,
    )
    const text = [describeCache(report), describeTools(report), ...causes]
      .filter((line) => line !== null)
      .join('\n')
    return { text, result: report }
  },
})
