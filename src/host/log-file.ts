import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import { LOG_FILE } from '../shared/desktop/log-file.ts'
import { errorMessage, replaceHidden } from '../shared/values/text.ts'

const RETRY_MS = 60_000
const MAX_QUEUED_LINES = 10_000

export interface LogFileOptions {
  dataDir: string
  /** Called once for every series of failures. */
  onError(message: string): void
  /** The size at which the file is rotated, as `5M`. */
  size?: string
  /** How many files there are at most, the current one included. */
  files?: number
}

/**
 * Appends lines to `logs/tollgate.log` and rotates it. A full disk or a read-only folder loses lines but never throws; the
 * file is opened again after a minute.
 */
export class LogFile {
  readonly #path: string
  readonly #options: LogFileOptions
  #stream: RotatingFileStream | null = null
  #retryAt = 0
  #failing = false
  /** Lines that the stream has not written yet. */
  readonly #queued = new Set<{ line: string }>()
  #closed = false

  constructor(options: LogFileOptions) {
    this.#options = options
    this.#path = join(options.dataDir, LOG_FILE)
    this.#open()
  }

  /** `line` ends with a newline. */
  write(line: string): void {
    if (this.#closed || this.#queued.size >= MAX_QUEUED_LINES) return
    if (this.#stream === null && performance.now() >= this.#retryAt) this.#open()
    const stream = this.#stream
    if (stream === null) return
    const entry = { line }
    this.#queued.add(entry)
    stream.write(line, (error) => {
      this.#queued.delete(entry)
      if (!error) this.#failing = false
    })
  }

  /** Writes what is still queued. Only for the end of the process: a line that is being written may appear twice. */
  flushSync(): void {
    if (this.#queued.size === 0) return
    const text = [...this.#queued].map(({ line }) => line).join('')
    this.#queued.clear()
    try {
      appendFileSync(this.#path, text, { mode: 0o600 })
    } catch {
      // The disk may be full, and there is nowhere left to report it.
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const stream = this.#stream
    this.#stream = null
    if (stream === null || stream.destroyed) return
    await new Promise<void>((resolve) => {
      stream.once('close', resolve)
      stream.end()
    })
  }

  #open(): void {
    const { size = '5M', files = 5 } = this.#options
    const name = (index: number | Date | null) => (index === null ? 'tollgate.log' : `tollgate.${index}.log`)
    try {
      const path = dirname(this.#path)
      mkdirSync(path, { recursive: true, mode: 0o700 })
      const stream = createStream(name, { path, size, rotate: files - 1, mode: 0o600 })
      stream.on('error', (error) => this.#fail(error))
      this.#stream = stream
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#stream = null
    this.#retryAt = performance.now() + RETRY_MS
    this.#queued.clear()
    if (this.#failing) return
    this.#failing = true
    this.#options.onError(`The log file ${this.#path} cannot be written: ${errorMessage(error)}`)
  }
}

/**
 * One of pino's JSON lines as a line for a terminal: time, level, message, other fields, request id. The stack of an error
 * follows, indented.
 */
export function formatLogLine(json: string): string {
  const { time, level, msg, requestId, err, ...fields } = JSON.parse(json)
  const [error, ...frames] = err === undefined ? [] : String(err.stack ?? err.message).split('\n')
  const line = [
    `${time} ${level} ${msg}${error === undefined ? '' : `: ${error}`}`,
    ...Object.entries(fields).map(([name, value]) => `${name}=${value}`),
    ...(requestId === undefined ? [] : [`[${requestId}]`]),
  ].join(' ')
  return replaceHidden([line, ...frames].join('\n').replaceAll('\n', '\n  '), () => ' ')
}
