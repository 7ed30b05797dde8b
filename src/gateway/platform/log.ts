export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * What a line may carry besides its message. The list is closed on purpose: headers, bodies and credentials cannot be
 * logged by accident.
 */
export interface LogFields {
  requestId?: string
  /** Whatever was thrown. */
  err?: unknown
  method?: string
  /** Without the query. */
  path?: string
  status?: number
  durationMs?: number
  provider?: string
  model?: string
}

/** A message must not contain secrets, prompts or answers. */
export interface Log extends Record<LogLevel, (message: string, fields?: LogFields) => void> {
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Log
  isLevelEnabled(level: LogLevel): boolean
}

export interface LogSink {
  write(level: LogLevel, message: string, fields: LogFields): unknown
  isLevelEnabled?(level: LogLevel): boolean
}

export function createLog(sink: LogSink, bound: LogFields = {}): Log {
  const logAt = (level: LogLevel) => (message: string, fields?: LogFields) =>
    sink.write(level, message, { ...bound, ...fields })
  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    child: (fields) => createLog(sink, { ...bound, ...fields }),
    isLevelEnabled: (level) => sink.isLevelEnabled?.(level) ?? true,
  }
}

export const silentLog: Log = createLog({ write() {}, isLevelEnabled: () => false })
