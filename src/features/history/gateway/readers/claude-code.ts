// Claude Code writes a line for each block of an answer, all with the usage of the whole answer, and copies lines into forks.
import { basename, join } from 'node:path'
import { otherTier } from '../../../../gateway/formats/chat/usage.ts'
import { isObject, type JsonObject, toObject, toObjects } from '../../../../shared/values/json.ts'
import { readEach } from '../list-files.ts'
import { readJsonLines } from '../log-files.ts'
import {
  createRow,
  type Place,
  type Reader,
  readCount,
  readName,
  type Sink,
  type Tokens,
  type UsageRow,
} from './reader.ts'

export const claudeCode: Reader = {
  locate,
  async read(place, sink) {
    const order = { wants: isTranscript, isByAge: true }
    await readEach(locate(place), order, (path) => readTranscript(path, sink), sink)
  },
}

function locate({ home, env }: Place): string[] {
  const chosen = (env.CLAUDE_CONFIG_DIR ?? '').split(',').flatMap((dir) => dir.trim() || [])
  return [join(home, '.config', 'claude'), join(home, '.claude'), ...chosen].map((dir) =>
    join(dir, 'projects'),
  )
}

/** The journal of a workflow repeats what its agents' own files have. */
export function isTranscript(path: string): boolean {
  return path.endsWith('.jsonl') && basename(path) !== 'journal.jsonl'
}

const USAGE = Buffer.from('"output_tokens":')
const COST_STATE = Buffer.from('"type":"cost-state"')
const ASSISTANT = Buffer.from('"role":"assistant"')
/** They repeat whole requests, which makes them long. */
const REQUEST = Buffer.from('{"type":"api-request')

async function readTranscript(path: string, sink: Sink): Promise<void> {
  const starts = new CallStarts()
  await readJsonLines(
    path,
    {
      wants(line, isCut) {
        if (line.subarray(0, REQUEST.length).equals(REQUEST)) return false
        return isCut ? line.includes(ASSISTANT) : line.includes(USAGE) || line.includes(COST_STATE)
      },
      visit(line) {
        if (line.type === 'assistant') readAnswer(line, starts, sink)
        if (line.type === 'cost-state') readCostState(line, sink)
      },
    },
    sink,
  )
}

function readAnswer(line: JsonObject, starts: CallStarts, sink: Sink): void {
  const message = toObject(line.message)
  const { usage } = message
  const id = readName(message.id)
  if (!isObject(usage) || id === null || line.isApiErrorMessage === true || message.model === '<synthetic>')
    return
  const tokens = readTokens(usage)
  const answerId = readName(line.requestId)
  const isSidechain = line.isSidechain === true
  const repeated = [id, tokens.input, tokens.cacheRead, tokens.cacheWrite5m + tokens.cacheWrite1h].join(' ')
  const row = createRow(
    {
      tool: 'claude-code',
      identity: `${id} ${answerId ?? starts.find(id, line)}`,
      time: line.timestamp,
      model: message.model,
      session: readName(line.sessionId) ?? 'unknown',
      agent: isSidechain ? (readName(line.agentId) ?? 'unknown') : null,
      project: readName(line.cwd),
      branch: readName(line.gitBranch),
      tokens,
      ...readExtras(usage),
      answerId,
      // A sub-agent that continues its parent's conversation has the parent's answers, with request ids of its own.
      ...(isSidechain ? { repeats: repeated } : { original: repeated }),
      ...(!isObject(usage.cache_creation) && { unsplitWrites: true }),
    },
    sink,
  )
  if (!row) return
  sink.add(row)
  for (const [index, advice] of listAdvice(usage).entries()) {
    const { original: _, repeats: __, ...call } = row
    sink.add({
      ...call,
      identity: `${row.identity} advice ${index}`,
      model: readName(advice.model) ?? row.model,
      tokens: readTokens(advice),
      webSearches: 0,
      answerId: null,
    })
  }
}

/** Calls of an advisor within the answer, whose usage is not in its totals. */
function listAdvice(usage: JsonObject): JsonObject[] {
  return toObjects(usage.iterations).filter(({ type }) => type === 'advisor_message')
}

function readTokens(usage: JsonObject): Tokens {
  const writes = toObject(usage.cache_creation)
  const hour = readCount(writes.ephemeral_1h_input_tokens)
  const minutes = readCount(writes.ephemeral_5m_input_tokens)
  const output = readCount(usage.output_tokens)
  return {
    input: readCount(usage.input_tokens),
    cacheRead: readCount(usage.cache_read_input_tokens),
    cacheWrite5m: Math.max(minutes, readCount(usage.cache_creation_input_tokens) - hour),
    cacheWrite1h: hour,
    output,
    reasoning: Math.min(output, readCount(toObject(usage.output_tokens_details).thinking_tokens)),
  }
}

function readExtras(usage: JsonObject): Pick<UsageRow, 'webSearches' | 'tier'> {
  const tiers = [
    otherTier(usage.speed, 'speed'),
    otherTier(usage.service_tier),
    usage.inference_geo === '' ? {} : otherTier(usage.inference_geo, 'inference_geo'),
  ]
  return {
    webSearches: readCount(toObject(usage.server_tool_use).web_search_requests),
    tier: tiers.find(({ otherTier: tier }) => tier !== undefined)?.otherTier ?? null,
  }
}

/** The sum of a session, its sub-agents included. A later one of the same session includes the earlier ones. */
function readCostState(line: JsonObject, sink: Sink): void {
  const session = readName(line.sessionId)
  if (session === null) return
  const tokens: Tokens = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 }
  for (const usage of toObjects(Object.values(toObject(line.modelUsage)))) {
    tokens.input += readCount(usage.inputTokens)
    tokens.cacheRead += readCount(usage.cacheReadInputTokens)
    tokens.cacheWrite5m += readCount(usage.cacheCreationInputTokens)
    tokens.output += readCount(usage.outputTokens)
    tokens.reasoning += readCount(usage.thinkingTokens)
  }
  sink.state({ session, tokens })
}

/**
 * Finds the calls of lines without a request id, which relays do not always send. Some also give all messages one id, so a line is of
 * an earlier line's call only if it follows that line, or the same line as that one.
 */
class CallStarts {
  readonly #times = new Map<string, unknown>()

  /** The time of the call's first line. */
  find(messageId: string, { uuid, parentUuid, timestamp }: JsonObject): unknown {
    const before = `${messageId} ${readName(parentUuid) ?? ''}`
    const start = this.#times.get(before) ?? timestamp
    this.#times.set(before, start)
    this.#times.set(`${messageId} ${readName(uuid) ?? ''}`, start)
    return start
  }
}
