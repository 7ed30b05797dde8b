// The entry point of the thread that reads the logs of agents. It has one task, and ends.
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../../gateway/store/engine/connection.ts'
import type { Db } from '../../../gateway/store/sql/statement.ts'
import type { NotCounted } from '../../../shared/api/history.ts'
import type { HistoryTool } from '../../../shared/api/history-tools.ts'
import { Findings } from './findings.ts'
import type { HistoryPrices } from './history-prices.ts'
import { hasAnswers, type ImportBatch, type ImportedCall, isImported, type LogFile } from './imported-rows.ts'
import { describeSkipped, readers } from './read-history.ts'
import type { Place, Sink, SkipReason, StatedTotal, UsageRow } from './readers/reader.ts'

export interface ImportTask {
  dataDir: string
  tools: readonly HistoryTool[]
  place: Place
  /** Milliseconds since 1970. */
  since: number
}

export type WorkerMessage =
  /** To be answered when it is stored. */
  { type: 'batch'; batch: ImportBatch } | { type: 'read'; tool: HistoryTool; notCounted: NotCounted[] }

/** The calls of one message, which the writer of the store commits together: so few that requests hardly wait for it. */
const MAX_CALLS = 200
const MAX_FILES = 200
/** Of a file in which some of this happened, more may be readable later. */
const TEMPORARY: ReadonlySet<SkipReason> = new Set(['unreadable', 'busy-database', 'no-parent'])
/** How many batches the thread is ahead of the store, so that it seldom waits for its turn on a busy machine. */
const MAX_WAITING = 8
const LOW_PRIORITY = 10

async function run({ tools, dataDir, place, since }: ImportTask): Promise<void> {
  // Elsewhere it would be the priority of the whole process.
  if (process.platform === 'linux') setPriority(LOW_PRIORITY)
  const db = openForReading(dataDir)
  for (const tool of tools) {
    const sink = new ImportSink(tool, since, db)
    await readers[tool].read(place, sink)
    await sink.close()
    post({ type: 'read', tool, notCounted: sink.notCounted })
  }
  db.close()
  parentPort?.close()
}

const answers: (() => void)[] = []

/** Batches are stored and answered in their order. */
function nextAnswer(): Promise<void> {
  return new Promise((resolve) => {
    answers.push(resolve)
  })
}

parentPort?.on('message', () => answers.shift()?.())

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

/** Sends what was read in batches, of which few wait for the store at a time. */
class ImportSink implements Sink {
  readonly #tool: HistoryTool
  readonly #since: number
  readonly #db: Db
  #prices: HistoryPrices | null = null
  readonly #skips = new Findings()
  #group = new Findings()
  #isComplete = true
  #calls: ImportedCall[] = []
  #files: LogFile[] = []
  readonly #waiting: Promise<unknown>[] = []

  constructor(tool: HistoryTool, since: number, db: Db) {
    this.#tool = tool
    this.#since = since
    this.#db = db
  }

  get notCounted(): NotCounted[] {
    return describeSkipped(this.#skips.finish().skipped)
  }

  add(row: UsageRow): void {
    this.#group.add(row)
  }

  skip(reason: SkipReason, tokens?: number): void {
    this.#skips.skip(reason, tokens)
    if (TEMPORARY.has(reason)) this.#isComplete = false
  }

  state(_total: StatedTotal): void {}

  isRead(file: LogFile): boolean {
    this.#isComplete = true
    return isImported(this.#db, file, this.#since)
  }

  hasAnswers(session: string): boolean {
    return hasAnswers(this.#db, this.#tool, session)
  }

  async endFiles(files: readonly LogFile[]): Promise<void> {
    const rows = [...this.#group.rows()].filter(({ time }) => time >= this.#since)
    this.#group = new Findings()
    if (rows.length > 0) {
      // They are the most that the thread loads, and where nothing is new, none is needed.
      const { HistoryPrices: Prices, priceCall } = await import('./history-prices.ts')
      const prices = this.#prices ?? new Prices()
      this.#prices = prices
      this.#calls.push(...rows.map((row) => priceCall(row, prices)))
    }
    if (this.#isComplete) this.#files.push(...files)
    const isFull = this.#calls.length > MAX_CALLS || this.#files.length > MAX_FILES
    while (this.#calls.length > MAX_CALLS) await this.#send(this.#calls.splice(0, MAX_CALLS), [])
    // With the rest of their calls, so that they are not read again if the import ends here.
    if (isFull) await this.#flush()
  }

  async close(): Promise<void> {
    await this.#flush()
    await Promise.all(this.#waiting)
  }

  async #flush(): Promise<void> {
    await this.#send(this.#calls.splice(0), this.#files.splice(0))
  }

  /** Waits where many batches are in memory. */
  async #send(calls: ImportedCall[], files: LogFile[]): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) await this.#waiting.shift()
    post({ type: 'batch', batch: { tool: this.#tool, calls, files, since: this.#since } })
    this.#waiting.push(nextAnswer())
  }
}

if (parentPort) void run(workerData)
