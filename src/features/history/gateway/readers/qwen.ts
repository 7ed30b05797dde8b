// Qwen Code records each call in the chat, and in a file for each month. The answers in the chat lack calls in the background.
import { basename, join } from 'node:path'
import { type JsonObject, toObject } from '../../../../shared/values/json.ts'
import { readEach } from '../list-files.ts'
import { readJsonLines } from '../log-files.ts'
import {
  createRow,
  type Place,
  type Reader,
  readCount,
  readName,
  type Sink,
  splitPrompt,
  type UsageRow,
} from './reader.ts'

export const qwen: Reader = { locate, read }

function locate({ home, env }: Place): string[] {
  const settings = env.QWEN_HOME || join(home, '.qwen')
  return [join(env.QWEN_RUNTIME_DIR || settings, 'projects'), join(settings, 'usage')]
}

const CALL = Buffer.from('"qwen-code.api_response"')
const COUNTS = Buffer.from('"totalTokens":')

async function read(place: Place, sink: Sink): Promise<void> {
  const [projects = '', months = ''] = locate(place)
  const sessions = new Set<string>()
  const readChat = (path: string) => {
    const visit = (line: JsonObject) => {
      const row = readCall(line, sink)
      if (row) sessions.add(row.session)
      if (row) sink.add(row)
    }
    return readJsonLines(path, { wants: (line, isCut) => !isCut && line.includes(CALL), visit }, sink)
  }
  await readEach([projects], { wants: (path) => path.endsWith('.jsonl') }, readChat, sink)
  const isMonth = (path: string) => /^token-usage-.*\.jsonl$/.test(basename(path))
  const readMonth = (path: string) => {
    // These are the same calls without the ids of the answers. They count only where the chat is gone.
    const visit = (line: JsonObject) => {
      const row = readMonthlyCall(line, sink)
      if (row && !sessions.has(row.session) && !sink.hasAnswers(row.session)) sink.add(row)
    }
    return readJsonLines(path, { wants: (line) => line.includes(COUNTS), visit }, sink)
  }
  await readEach([months], { wants: isMonth }, readMonth, sink)
}

function readCall(line: JsonObject, sink: Sink): UsageRow | null {
  const event = toObject(toObject(line.systemPayload).uiEvent)
  if (line.subtype !== 'ui_telemetry' || event['event.name'] !== 'qwen-code.api_response') return null
  const answerId = readName(event.response_id)
  const session = readName(line.sessionId) ?? 'unknown'
  const time = event['event.timestamp'] ?? line.timestamp
  return createRow(
    {
      tool: 'qwen',
      // Some servers give all answers the same id.
      identity: [session, answerId, time].join(' '),
      time,
      model: event.model,
      session,
      answerId,
      project: readName(line.cwd),
      branch: readName(line.gitBranch),
      tokens: splitPrompt({
        prompt: readCount(event.input_token_count),
        cacheRead: readCount(event.cached_content_token_count),
        output: readCount(event.output_token_count),
        reasoning: readCount(event.thoughts_token_count),
      }),
    },
    sink,
  )
}

function readMonthlyCall(line: JsonObject, sink: Sink): UsageRow | null {
  const session = readName(line.sessionId) ?? 'unknown'
  return createRow(
    {
      tool: 'qwen',
      identity: [session, line.id, line.timestamp].join(' '),
      time: line.timestamp,
      model: line.model,
      session,
      tokens: splitPrompt({
        prompt: readCount(line.inputTokens),
        cacheRead: readCount(line.cachedTokens),
        output: readCount(line.outputTokens),
        reasoning: readCount(line.thoughtsTokens),
      }),
    },
    sink,
  )
}
