// Codex writes a rollout for each thread. Newer ones have a record of each call; older ones only have running totals, which forks
// and sub-agents repeat from their parents.
import { basename, join } from 'node:path'
import { otherTier } from '../../../../gateway/formats/chat/usage.ts'
import { isObject, type JsonObject, toObject } from '../../../../shared/values/json.ts'
import type { FileList } from '../file-list-rows.ts'
import { Findings } from '../findings.ts'
import { listFiles, readGroups } from '../list-files.ts'
import { readJsonLines } from '../log-files.ts'
import {
  createRow,
  type Place,
  type Reader,
  readCount,
  readName,
  type Sink,
  splitPrompt,
  sumTokens,
  type Tokens,
  type UsageRow,
} from './reader.ts'

export const codex: Reader = { locate, read }

/** In this order: of a thread in both, the active one is complete. */
function locate({ home, env }: Place): string[] {
  const root = env.CODEX_HOME || join(home, '.codex')
  return [join(root, 'sessions'), join(root, 'archived_sessions')]
}

async function read(place: Place, sink: Sink): Promise<void> {
  const order = {
    wants: (path: string) => /^rollout-.*\.jsonl$/.test(basename(path)),
    getGroup: (path: string) => basename(path).match(THREAD)?.[0] ?? basename(path),
  }
  const threads = await listFiles(locate(place), order, sink)
  try {
    const originals = new Originals(threads)
    const readThread = async (paths: readonly string[]) => {
      const rollout = await readRollout(paths, sink)
      await addSnapshots(rollout, originals, sink)
    }
    await readGroups(threads.units(), readThread, sink)
  } finally {
    threads.close()
  }
}

async function readRollout(paths: readonly string[], sink: Sink): Promise<Rollout> {
  const rollout = new Rollout()
  for (const path of paths)
    await readJsonLines(path, { wants, visit: (line) => rollout.visit(line, sink) }, sink)
  return rollout
}

/** Several threads may be forks of the same one. */
const MAX_ORIGINALS = 4

/** The threads that others were forked from, which are read again for what they have in common. */
class Originals {
  readonly #threads: FileList
  readonly #read = new Map<string, readonly Snapshot[]>()

  constructor(threads: FileList) {
    this.#threads = threads
  }

  /** Null for a thread that is missing. */
  async find(thread: string): Promise<readonly Snapshot[] | null> {
    const paths = this.#threads.find(thread)
    if (!paths) return null
    const known = this.#read.get(thread) ?? (await readRollout(paths, new Findings())).snapshots
    if (this.#read.size >= MAX_ORIGINALS) this.#read.clear()
    this.#read.set(thread, known)
    return known
  }
}

/** In the name of a file. A long thread has several files, whose names go on with an underscore and another id. */
const THREAD = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/

/** Codex writes the type of a line before its content. */
const TYPE_BYTES = 300
const TYPES =
  /"type":"(?:session_meta|turn_context|token_usage_record|token_count|thread_settings_applied|task_started)"/
const ANY_TYPE = '"type":"'

function wants(line: Buffer): boolean {
  const head = line.toString('latin1', 0, TYPE_BYTES)
  return TYPES.test(head) || !head.includes(ANY_TYPE)
}

/** The state of the tokens of a thread after a call, by an older Codex. */
interface Snapshot {
  /** The running totals of the thread. */
  total: Tokens
  /** The row of the last call. */
  row: UsageRow
  /** Not so if a record has the call, or it is of a session of another tool that was imported. */
  isCounted: boolean
}

/** The turns of sessions of other tools that Codex imported. */
const IMPORTED = 'external-import-turn-'
/** Lower totals that are at least this share of the last ones are stale, and not those of a thread that began again. */
const STALE_SHARE = 0.98

class Rollout {
  /** Of the first `session_meta`: a sub-agent's file has its parent's as well. */
  #meta: JsonObject | null = null
  #copiedFrom: string | null = null
  #hasRecords = false
  #model: string | null = null
  #tier: string | null = null
  #turn = ''
  readonly snapshots: Snapshot[] = []

  get thread(): string {
    return readName(this.#meta?.id) ?? 'unknown'
  }

  /** The thread whose snapshots this one may repeat. */
  get parent(): string | null {
    const { history_mode: mode, forked_from_id: origin } = this.#meta ?? {}
    return mode === 'paginated' ? null : (readName(origin) ?? this.#copiedFrom)
  }

  visit(line: JsonObject, sink: Sink): void {
    const payload = toObject(line.payload)
    const type = line.type === 'event_msg' ? payload.type : line.type
    if (type === 'session_meta') this.#readMeta(payload)
    if (this.#isCopied(line)) return
    if (type === 'turn_context' || type === 'task_started') {
      this.#turn = readName(payload.turn_id) ?? this.#turn
      this.#model = readName(payload.model) ?? this.#model
    }
    if (type === 'thread_settings_applied') this.#readSettings(toObject(payload.thread_settings))
    if (type === 'token_usage_record') this.#readRecord(line, payload, sink)
    if (type === 'token_count') this.#readSnapshot(line, toObject(payload.info), sink)
  }

  #readMeta(meta: JsonObject): void {
    if (this.#meta === null) this.#meta = meta
    else if (meta.id !== this.#meta.id) this.#copiedFrom ??= readName(meta.id)
  }

  /** Whether a line is of the parent's history, which precedes a sub-agent's own. */
  #isCopied({ ordinal }: JsonObject): boolean {
    const start = this.#meta?.subagent_history_start_ordinal
    return typeof start === 'number' && typeof ordinal === 'number' && ordinal < start
  }

  #readSettings(settings: JsonObject): void {
    this.#model = readName(settings.model) ?? this.#model
    if ('service_tier' in settings) this.#tier = otherTier(settings.service_tier).otherTier ?? null
  }

  #readRecord(line: JsonObject, record: JsonObject, sink: Sink): void {
    this.#hasRecords = true
    const answerId = readName(record.response_id)
    const turn = readName(record.turn_id) ?? this.#turn
    if (answerId === null || turn.startsWith(IMPORTED)) return
    const thread = readName(record.thread_id) ?? this.thread
    // Some servers give all answers one id, but the total of the thread grows. Copies have both.
    const identity = [answerId, toObject(record.thread_token_usage).total_tokens].join(' ')
    const row = this.#createRow(line, readTokens(toObject(record.usage)), sink)
    if (row)
      sink.add({
        ...row,
        ...this.#placeIn(thread, readName(record.session_id)),
        identity,
        answerId,
      })
  }

  #readSnapshot(line: JsonObject, info: JsonObject, sink: Sink): void {
    const total = readTokens(toObject(info.total_token_usage))
    const previous = this.snapshots.at(-1)?.total
    if (sumTokens(total) === 0 || (previous && isRepeated(total, previous))) return
    const tokens = isObject(info.last_token_usage)
      ? readTokens(info.last_token_usage)
      : subtractTokens(total, previous)
    const row = this.#createRow(line, tokens, sink)
    const isCounted = !this.#hasRecords && !this.#turn.startsWith(IMPORTED)
    if (row) this.snapshots.push({ total, row, isCounted })
  }

  #createRow({ timestamp }: JsonObject, tokens: Tokens, sink: Sink): UsageRow | null {
    return createRow(
      {
        tool: 'codex',
        identity: [this.thread, timestamp, ...Object.values(tokens)].join(' '),
        time: timestamp,
        model: this.#model,
        provider: readName(this.#meta?.model_provider),
        ...this.#placeIn(this.thread, readName(this.#meta?.session_id)),
        project: readName(this.#meta?.cwd),
        branch: readName(toObject(this.#meta?.git).branch),
        tokens,
        tier: this.#tier,
      },
      sink,
    )
  }

  #placeIn(thread: string, session: string | null): Pick<UsageRow, 'session' | 'agent'> {
    const spawn = toObject(toObject(toObject(this.#meta?.source).subagent).thread_spawn)
    const root = session ?? readName(spawn.parent_thread_id) ?? thread
    return { session: root, agent: root === thread ? null : thread }
  }
}

/** Whether totals are those of the last snapshot, or slightly older ones that arrived late. */
function isRepeated(total: Tokens, previous: Tokens): boolean {
  if (isEqual(total, previous)) return true
  const [now, last] = [sumTokens(total), sumTokens(previous)]
  return now < last && now >= last * STALE_SHARE
}

function isEqual(one: Tokens, other: Tokens): boolean {
  return Object.entries(one).every(([bucket, count]) => other[bucket as keyof Tokens] === count)
}

function readTokens(usage: JsonObject): Tokens {
  return splitPrompt({
    prompt: readCount(usage.input_tokens),
    cacheRead: readCount(usage.cached_input_tokens),
    cacheWrite: readCount(usage.cache_write_input_tokens),
    output: readCount(usage.output_tokens),
    reasoning: readCount(usage.reasoning_output_tokens),
  })
}

/** Tokens of a call of an old Codex, which has totals only. */
function subtractTokens(total: Tokens, previous: Tokens | undefined): Tokens {
  const tokens = { ...total }
  if (previous && sumTokens(previous) < sumTokens(total))
    for (const bucket of Object.keys(tokens) as (keyof Tokens)[])
      tokens[bucket] = Math.max(0, total[bucket] - previous[bucket])
  return tokens
}

/** Adds the calls of a thread without those that it repeats: totals of its parent in the same order. */
async function addSnapshots({ parent, snapshots }: Rollout, originals: Originals, sink: Sink): Promise<void> {
  if (!snapshots.some(({ isCounted }) => isCounted)) return
  const original = parent === null ? [] : await originals.find(parent)
  const repeated = countRepeated(snapshots, original ?? [])
  for (const { row, isCounted } of snapshots.slice(repeated)) {
    if (!isCounted) continue
    if (original === null) sink.skip('no-parent', sumTokens(row.tokens))
    else sink.add(row)
  }
}

function countRepeated(snapshots: readonly Snapshot[], originals: readonly Snapshot[]): number {
  const [first] = snapshots
  // A long history may be copied without its beginning.
  const start = first ? originals.findIndex(({ total }) => isEqual(total, first.total)) : -1
  if (start < 0) return 0
  const end = snapshots.findIndex(({ total }, index) => {
    const other = originals[start + index]
    return !other || !isEqual(total, other.total)
  })
  return end < 0 ? snapshots.length : end
}
