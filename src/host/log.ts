// Owns where log lines go: stderr, one per line, dated. Knows nothing of what they say.
import type { Log } from '../gateway/platform/log.ts'

export function stderrLog(): Log {
  const write = (level: string) => (message: string) => {
    process.stderr.write(`${new Date().toISOString()} ${level} ${message.replaceAll('\n', '\n  ')}\n`)
  }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}
