// Ends the process although a native call is unanswered, such as one to a keychain that asks for its password, or the check of a
// large backup. Node would wait for it.
import { hasSlowNativeCall } from '../gateway/compose/host-api.ts'

export function exitProcess(code: number): never {
  leaveUnanswered(code)
  process.exit(code)
}

/** Ends the process immediately if a call is not answered. */
export function leaveUnanswered(code: number): void {
  if (hasSlowNativeCall()) leaveImmediately(code)
}

/** Ends the process without what it would still take down, such as Chromium. */
export function leaveImmediately(code: number): void {
  process.emit('exit', code)
  // Node cannot exit with a code otherwise; a program in its place can.
  if (process.platform !== 'win32') process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.kill(process.pid, 'SIGKILL')
}
