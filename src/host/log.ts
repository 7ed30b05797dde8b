import { pino } from 'pino'
import { createLog, type Log, type LogLevel, redactSecrets } from '../gateway/compose/host-api.ts'
import { formatLogLine, LogFile, type LogFileOptions } from './log-file.ts'
import { serializeError } from './serialize-error.ts'

/** The log of the whole process: readable lines on stderr, and JSON lines in a file once there is a data dir. */
export interface HostLog extends Log {
  setLevel(level: LogLevel): void
  /** Writes to `logs/tollgate.log` in the data dir from now on. */
  openFile(dataDir: string, options?: Pick<LogFileOptions, 'size' | 'files'>): void
  /** Writes what is still queued for the file; for exits that cannot wait for `close`. */
  flushSync(): void
  /** Flushes and closes the file. Later lines only go to stderr. */
  close(): Promise<void>
}

// No field with such a name exists (see LogFields); this guards against one that is added by mistake.
const REDACTED_FIELDS = ['authorization', 'secret', 'credential', 'apiKey', 'headers', 'body', 'messages']

export function createHostLog(printLine: (line: string) => void = printToStderr): HostLog {
  let file: LogFile | null = null
  const destination = {
    write(line: string) {
      printLine(formatLogLine(line))
      file?.write(line)
    },
  }
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { err: serializeError },
      redact: REDACTED_FIELDS.flatMap((name) => [name, `*.${name}`]),
      hooks: { streamWrite: redactSecrets },
    },
    destination,
  )
  const log = createLog({
    write: (level, message, fields) => logger[level](fields, message),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
  })
  const flushSync = () => file?.flushSync()
  return {
    ...log,
    setLevel(level) {
      logger.level = level
    },
    openFile(dataDir, options = {}) {
      const onError = (message: string) =>
        printLine(`${new Date().toISOString()} warn ${message.replaceAll('\n', ' ')}`)
      file = new LogFile({ ...options, dataDir, onError })
      process.once('exit', flushSync)
    },
    flushSync,
    async close() {
      process.off('exit', flushSync)
      await file?.close()
      file = null
    },
  }
}

function printToStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
