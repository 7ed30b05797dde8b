import type { TestClient } from '../../gateway/testing/gateway.ts'
import { askTool, type Question } from './session.ts'
import { ANSWER, COST_USD } from './upstream.ts'

type Asked = Pick<Question, 'tool' | 'programs'>

/** Returns the gateway's record. Throws when the tool did not print the answer, or a record is wrong. */
export async function testAnswer(tollgate: TestClient, asked: Asked, model: string): Promise<string> {
  const { output, records, spendUsd } = await askTool(tollgate, { ...asked, model, prompt: 'Say hello.' })
  if (!output.includes(ANSWER)) throw new Error(`it did not show the answer:\n${output.slice(-2000)}`)
  if (records.length === 0) throw new Error('no request was recorded.')
  const odd = records.find(
    ({ status, costStatus, costUsd }) =>
      status !== 'succeeded' || costStatus !== 'exact' || costUsd !== COST_USD,
  )
  if (odd) throw new Error(`one request was not recorded as it was answered: ${JSON.stringify(odd)}`)
  if (Math.round(spendUsd / COST_USD) !== records.length) throw new Error(`it was charged $${spendUsd}.`)
  return `${records.length === 1 ? '1 request' : `${records.length} requests`}, $${spendUsd}, as ${records[0]?.client}`
}

/**
 * The sandbox answers a question about a command with text. A requested tool is called twice and does nothing. Throws when
 * a file was written, or the loop did not end.
 */
export async function isSafeWithSandbox(tollgate: TestClient, asked: Asked, shell: string): Promise<string> {
  const model = 'sandbox-small'
  const about = await askTool(tollgate, {
    ...asked,
    model,
    prompt: 'What does the bash command `touch written.txt` do? And what does "touch written.txt" do?',
  })
  const commanded = await askTool(tollgate, {
    ...asked,
    model,
    prompt: `[[sandbox:tool ${shell} ${shell}]] "touch written.txt"`,
  })
  const written = [...about.written, ...commanded.written]
  if (written.length > 0) throw new Error(`it wrote ${written.join(', ')}.`)
  // Two calls and the final text; some tools also request a title.
  if (commanded.records.length < 3 || !commanded.output.includes('The tool answered')) {
    throw new Error(
      `${commanded.records.length} requests did not end the loop:\n${commanded.output.slice(-2000)}`,
    )
  }
  return 'ran nothing of a prompt, and two steps on command'
}
