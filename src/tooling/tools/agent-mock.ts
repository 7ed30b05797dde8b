// A third-party mock of a provider behind an agent: it calls the agent's shell once, and then answers with a text.
import { LLMock } from '@copilotkit/aimock'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'
import { ANSWER, CAPPED_PRICING, COMMAND, USAGE } from './scripted-model.ts'

export interface AgentMock {
  model: string
  /** The cost of each answer. */
  costUsd: number
  /** The model with free input, the estimate of which exceeds the cap that one answer uses up. */
  capped: { model: string; costUsd: number }
  /** The number of requests that it has answered. */
  calls(): number
  close(): Promise<void>
}

const { input, output } = USAGE
/** In the members of every format. */
const usage = {
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  input_tokens: input,
  output_tokens: output,
}
const PRICING = { inputPerMillion: 1, outputPerMillion: 2 }

/** `shell` is the name of the agent's tool that runs commands. */
export async function startAgentMock(
  tollgate: TestClient,
  { shell, format }: { shell: string; format: ApiFormat },
): Promise<AgentMock> {
  const mock = new LLMock({ port: 0, latency: 5, chunkSize: 10 })
  const args = shell === 'exec_command' ? { cmd: COMMAND } : { command: COMMAND, description: 'Write a file' }
  const toolCalls = [{ name: shell, arguments: JSON.stringify(args) }]
  // A request without tools is for a title.
  const isTask = ({ tools }: { tools?: readonly unknown[] }) => tools !== undefined && tools.length > 0
  mock.on({ hasToolResult: false, predicate: isTask }, { toolCalls, usage })
  mock.on({}, { content: ANSWER, usage })
  await mock.start()
  await tollgate.addProvider('mock', `${mock.url}/v1`, [], { apiFormat: format })
  const addModel = async (id: string, pricing: typeof PRICING) => {
    const body = { provider: 'mock', pricing, maxOutputTokens: 4096 }
    const put = await tollgate.call('PUT', `/v1/models/${id}`, { body })
    if (put.status !== 200) throw new Error(`the model was refused: ${put.text}`)
    return {
      model: id,
      costUsd: (input * pricing.inputPerMillion + output * pricing.outputPerMillion) / 1_000_000,
    }
  }
  return {
    ...(await addModel('mock-agent', PRICING)),
    capped: await addModel('mock-capped', CAPPED_PRICING),
    calls: () => mock.getRequests().length,
    close: () => mock.stop(),
  }
}
