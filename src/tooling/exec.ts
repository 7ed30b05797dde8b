import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from './commands.ts'
import { INTERRUPTIONS, watchParent } from './interruption.ts'

/**
 * Runs a program in this terminal and forwards signals to it. Resolves to its exit code, or to 128 plus the number of the
 * signal that ended it.
 */
export function runProgram(program: string, args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    const child = spawn(program, [...args], { stdio: 'inherit' })
    for (const signal of INTERRUPTIONS) process.on(signal, () => child.kill(signal))
    watchParent(() => child.kill('SIGTERM'))
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
