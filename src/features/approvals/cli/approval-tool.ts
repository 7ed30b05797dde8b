import { z } from 'zod'
import { defineTool, ToolError } from '../../../cli/mcp/tool.ts'
import { RefusedCallError } from '../../../host/gateway-client.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import { ApprovalAnswer, ApprovalList, ApprovalRequest } from '../api/approvals.ts'
import { describeApproval } from '../api/texts.ts'

/** Clients of MCP give up after a minute. */
const WAIT_MS = 50_000

export const askForMore = defineTool({
  name: 'ask_for_more',
  title: 'Ask to spend more',
  description:
    'Asks the owner of this API key to allow more than its limit, before the limit is reached. Waits for the answer, for up to 50 seconds. Use it when the rest of a task will cost more than get_remaining says is left.',
  input: z.object({ ...ApprovalRequest.shape }),
  output: z.object({
    answered: z.boolean().describe('False if the owner has not answered yet.'),
    remainingUsd: ApprovalAnswer.shape.remainingUsd
      .nullable()
      .describe('What is left; null without an answer.'),
  }),
  changes: true,
  async run(body, caller) {
    if (caller.isOwner) throw new ToolError('Only a key can ask for more: set TOLLGATE_API_KEY.')
    const signal = AbortSignal.timeout(WAIT_MS)
    try {
      const { remainingUsd } = await caller.call('requestApproval', { body, signal })
      return {
        text: `More is allowed: ${formatUsd(remainingUsd)} left.`,
        result: { answered: true, remainingUsd },
      }
    } catch (error) {
      if (signal.aborted)
        return {
          text: 'No answer yet. Go on with what is left; at the limit, requests wait for the owner.',
          result: { answered: false, remainingUsd: null },
        }
      if (error instanceof RefusedCallError && error.code === 'not_allowed')
        throw new ToolError('The owner does not allow more. Finish with what is left, or stop.')
      throw error
    }
  },
})

export const listQuestions = defineTool({
  name: 'list_questions',
  title: 'What waits for an answer',
  description:
    'The limits and rules that ask the owner now, with the requests that wait in their clients for the answer. Only the owner answers, in the window or with `tollgate approve`.',
  input: z.object({}),
  output: ApprovalList,
  async run(_, caller) {
    const list = await caller.call('listApprovals')
    const lines = list.data.map((approval) => {
      const { title, body } = describeApproval(approval)
      return `${title}. ${body}`
    })
    return { text: lines.length === 0 ? 'Nothing waits for an answer.' : lines.join('\n'), result: list }
  },
})
