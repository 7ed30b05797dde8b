// pi writes each answer once, with its usage; a session that is forked from another begins with copies of its answers.
import { join } from 'node:path'
import { type JsonObject, toObject } from '../../../../shared/values/json.ts'
import { readEach } from '../list-files.ts'
import { readJsonLines } from '../log-files.ts'
import { createRow, type Place, type Reader, readCount, readName, type Sink, type Tokens } from './reader.ts'

export const pi: Reader = { locate, read }

function locate({ home, env }: Place): string[] {
  const root = env.PI_CODING_AGENT_DIR?.replace(/^~(?=$|[\\/])/, home) || join(home, '.pi', 'agent')
  return [join(root, 'sessions')]
}

const USAGE = Buffer.from('"usage":{')
const HEADER = Buffer.from('{"type":"session"')
const ASSISTANT = Buffer.from('"role":"assistant"')

async function read(place: Place, sink: Sink): Promise<void> {
  const wants = (file: string) => file.endsWith('.jsonl')
  await readEach(locate(place), { wants }, (path) => readSession(path, sink), sink)
}

async function readSession(path: string, sink: Sink): Promise<void> {
  let session: JsonObject = {}
  await readJsonLines(
    path,
    {
      wants: (line, isCut) =>
        isCut
          ? line.includes(ASSISTANT)
          : line.includes(USAGE) || line.subarray(0, HEADER.length).equals(HEADER),
      visit(line) {
        if (line.type === 'session') session = line
        const message = toObject(line.message)
        if (line.type === 'message' && message.role === 'assistant' && message.usage)
          readAnswer(line, message, session, sink)
      },
    },
    sink,
  )
}

function readAnswer(line: JsonObject, message: JsonObject, session: JsonObject, sink: Sink): void {
  const answerId = readName(message.responseId)
  const time = message.timestamp ?? line.timestamp
  const row = createRow(
    {
      tool: 'pi',
      // Some servers give all answers the same id. Copies keep the time.
      identity: [answerId ?? line.id, time].join(' '),
      time,
      model: message.model,
      provider: readName(message.provider),
      session: readName(session.id) ?? 'unknown',
      project: readName(session.cwd),
      tokens: readTokens(toObject(message.usage)),
      answerId,
    },
    sink,
  )
  if (row) sink.add(row)
}

/** The counts are disjoint. Reasoning is not counted apart. */
function readTokens(usage: JsonObject): Tokens {
  return {
    input: readCount(usage.input),
    cacheRead: readCount(usage.cacheRead),
    cacheWrite5m: readCount(usage.cacheWrite),
    cacheWrite1h: 0,
    output: readCount(usage.output),
    reasoning: 0,
  }
}
