// Owns handing this process over to another: same terminal, signals passed on, same exit code.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './commands.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const PARENT_CHECK_MS = 500

/** Runs `program` in this one's place; gives its exit code, or 128 plus the number of the signal that ended it. */
export function become(program: string, args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(program, [...args], { stdio: 'inherit' })
    for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
    // npm runs us through a shell that dies of a SIGTERM without passing it on; whoever ended it meant the gateway.
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

/** The built headless gateway with these flags. */
export function becomeHeadless(flags: readonly string[]): Promise<number> {
  return become(process.execPath, [join(root, 'out/main/cli.js'), 'serve', ...flags])
}
