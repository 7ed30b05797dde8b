// A home folder as large as that of somebody who has used Claude Code for months.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LARGE_FILES = 200
const FILE_BYTES = 1_565_000
const CALL_MS = 60_000
const TEXT = 'A line of code, and "a quote" after it.\n'

/** Writes transcripts, 313 MB by default. Returns the number of calls in them, of which the last was made at `until`. */
export function writeLargeHome(home: string, until: number, files = LARGE_FILES): number {
  let calls = 0
  for (let file = 0; file < files; file += 1) {
    const folder = join(home, '.claude/projects', `shop-${file % 20}`)
    mkdirSync(folder, { recursive: true })
    const session = `session-${file}`
    const lines: string[] = []
    for (let bytes = 0; bytes < FILE_BYTES; calls += 1) {
      const call = createCall(session, calls, until - (files - file) * 500 * CALL_MS)
      lines.push(...call)
      for (const line of call) bytes += line.length + 1
    }
    writeFileSync(join(folder, `${session}.jsonl`), `${lines.join('\n')}\n`)
  }
  return calls
}

/** The result of a tool, and an answer in two blocks. */
function createCall(session: string, call: number, time: number): string[] {
  const place = { sessionId: session, cwd: '/work/shop', gitBranch: 'main', version: '2.1.330' }
  const timestamp = new Date(time).toISOString()
  const usage = {
    ...{
      input_tokens: 11,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 20_000,
      output_tokens: 219,
    },
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
  }
  const answer = (block: string) =>
    JSON.stringify({
      ...{ type: 'assistant', timestamp, requestId: `req_${call}`, ...place },
      message: {
        ...{ id: `msg_${call}`, role: 'assistant', model: 'claude-opus-4-1', usage },
        content: [{ type: 'text', text: block.repeat(30) }],
      },
    })
  const result = JSON.stringify({
    ...{ type: 'user', timestamp, ...place },
    message: { role: 'user', content: [{ type: 'tool_result', content: TEXT.repeat(180) }] },
  })
  return [result, answer('Thinking about it. '), answer('This is the answer. ')]
}
