// Owns the shape of the log. Where lines go is the host's choice; what they say never includes a secret or a prompt.

export interface Log {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export const silentLog: Log = { info() {}, warn() {}, error() {} }
