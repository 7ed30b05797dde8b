import { defineTool } from '../../../cli/mcp/tool.ts'
import { PlanFit, PlanFitQuery } from '../api/plan-fit.ts'
import { describeFit, formatDays, listFullDays } from '../api/texts.ts'

export const comparePlans = defineTool({
  name: 'compare_plans',
  title: 'Which plan fits',
  description:
    'What the use of the last 30 or 90 days costs by API, what it would cost with each plan of a vendor (Claude, ChatGPT, Copilot, Google AI), and on which days the windows of a plan would have been full.',
  input: PlanFitQuery,
  output: PlanFit,
  async run(query, caller) {
    const fit = await caller.call('getPlanFit', { query })
    const full = fit.plans.flatMap((plan) => {
      const days = listFullDays(plan)
      return days.length === 0 ? [] : [`${plan.name} would have been full on ${formatDays(days)}.`]
    })
    return { text: [describeFit(fit), ...full, ...fit.assumptions].join('\n'), result: fit }
  },
})
