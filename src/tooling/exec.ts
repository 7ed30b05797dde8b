import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './commands.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const PARENT_CHECK_MS = 500

/**
 * Runs a program in this terminal and forwards signals to it. Resolves to its exit code, or to 128 plus the number of the
 * signal that ended it.
 */
export function runProgram(program: string, args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(program, [...args], { stdio: 'inherit' })
    for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
    // npm starts this process through a shell that exits on SIGTERM without forwarding it. The signal was for the gateway.
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(watch)
      child.kill('SIGTERM')
    }, PARENT_CHECK_MS)
    watch.unref()
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      done(1)
    })
    child.on('close', (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}

/** Runs the built headless gateway with these flags. */
export function runHeadless(flags: readonly string[]): Promise<number> {
  return runProgram(process.execPath, [join(root, 'out/main/cli.js'), 'serve', ...flags])
}
