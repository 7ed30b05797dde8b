// Ends the process although a native call is unanswered. When it exits, Node waits for such calls, and a keychain that asks for its
// password answers once someone has typed it.

/** Longer than a keychain takes that asks for nothing. */
const SLOW_MS = 1_000

const calls = new Set<{ startedAt: number }>()

/** `response`: of a call that keeps a thread of Node's until it is answered. */
export function noteNativeCall(response: Promise<unknown>): void {
  const call = { startedAt: performance.now() }
  calls.add(call)
  const forget = () => {
    calls.delete(call)
  }
  response.then(forget, forget)
}

export function exitProcess(code: number): never {
  leaveUnanswered(code)
  process.exit(code)
}

/** Ends the process at once if a call is not answered. */
export function leaveUnanswered(code: number): void {
  const before = performance.now() - SLOW_MS
  if (![...calls].some(({ startedAt }) => startedAt <= before)) return
  process.emit('exit', code)
  // Node cannot exit with a code otherwise; a program in its place can.
  if (process.platform !== 'win32') process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.kill(process.pid, 'SIGKILL')
}
