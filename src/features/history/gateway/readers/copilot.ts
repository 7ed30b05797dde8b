// Copilot CLI records each call since version 1.0; older versions only wrote sums when a session ended.
import { basename, dirname, join } from 'node:path'
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
  type Tokens,
  type UsageRow,
} from './reader.ts'

export const copilot: Reader = { locate, read }

function locate({ home, env }: Place): string[] {
  return [join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state')]
}

async function read(place: Place, sink: Sink): Promise<void> {
  await readEach(
    locate(place),
    { wants: (path) => basename(path) === 'events.jsonl' },
    (path) => {
      const session = new Session(basename(dirname(path)))
      return readJsonLines(path, { wants, visit: (line) => session.visit(line, sink) }, sink)
    },
    sink,
  )
}

const TYPE_BYTES = 200
const TYPES = /"type":"session\.(?:start|resume|usage_record|shutdown)"/

function wants(line: Buffer): boolean {
  const head = line.toString('latin1', 0, TYPE_BYTES)
  return TYPES.test(head) || !head.includes('"type":"')
}

class Session {
  readonly #id: string
  #project: string | null = null
  #branch: string | null = null
  #hasRecords = false

  constructor(id: string) {
    this.#id = id
  }

  visit(line: JsonObject, sink: Sink): void {
    const data = toObject(line.data)
    if (line.type === 'session.start' || line.type === 'session.resume') {
      const context = toObject(data.context)
      this.#project = readName(context.cwd) ?? this.#project
      this.#branch = readName(context.branch) ?? this.#branch
    }
    if (line.type === 'session.usage_record') this.#readRecord(line, toObject(data.usage), sink)
    // Its sums include the recorded calls. Without records, they are of what happened since the last shutdown.
    if (line.type === 'session.shutdown' && !this.#hasRecords) this.#readSums(line, data, sink)
  }

  #readRecord(line: JsonObject, usage: JsonObject, sink: Sink): void {
    this.#hasRecords = true
    const { usageId, sourceSessionId, sequence } = toObject(usage.accounting)
    const source = readName(sourceSessionId) ?? this.#id
    const answerId = readName(usage.apiCallId)
    // A session that goes on elsewhere has the records of its source.
    const identity = [source, readName(usageId) ?? answerId ?? readName(line.id), sequence].join(' ')
    this.#add(line, sink, {
      identity,
      session: source,
      model: usage.model,
      provider: readName(usage.modelProvider),
      agent: readName(line.agentId),
      answerId,
      tokens: readTokens(usage),
    })
  }

  #readSums(line: JsonObject, data: JsonObject, sink: Sink): void {
    const metrics = toObject(data.modelMetrics ?? toObject(data.accountingSnapshot).modelMetrics)
    for (const [model, sums] of Object.entries(metrics)) {
      const { usage, requests } = toObject(sums)
      this.#add(line, sink, {
        identity: [this.#id, line.id, model].join(' '),
        model,
        calls: Math.max(1, readCount(toObject(requests).count)),
        tokens: readTokens(toObject(usage)),
      })
    }
  }

  #add({ timestamp }: JsonObject, sink: Sink, call: CopilotCall): void {
    const place = { session: this.#id, project: this.#project, branch: this.#branch }
    const row = createRow({ tool: 'copilot', time: timestamp, ...place, ...call }, sink)
    if (row) sink.add(row)
  }
}

type CopilotCall = Pick<UsageRow, 'identity' | 'tokens'> &
  Partial<Pick<UsageRow, 'session' | 'provider' | 'agent' | 'answerId' | 'calls'>> & { model: unknown }

function readTokens(usage: JsonObject): Tokens {
  return splitPrompt({
    prompt: readCount(usage.inputTokens),
    cacheRead: readCount(usage.cacheReadTokens),
    cacheWrite: readCount(usage.cacheWriteTokens),
    output: readCount(usage.outputTokens),
    reasoning: readCount(usage.reasoningTokens),
  })
}
