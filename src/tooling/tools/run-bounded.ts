// Runs a shell script with a time limit, after which it and all its processes are ended; so they are when this process exits.
import { spawn } from 'node:child_process'

interface Bounds {
  cwd: string
  env: Record<string, string>
  timeoutMs: number
}

/** The process groups that run. */
const running = new Set<number>()
process.once('exit', () => {
  for (const group of running) end(group)
})

/** The exit code, null after the time limit, and the output. */
export function runBounded(
  script: string,
  { cwd, env, timeoutMs }: Bounds,
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    // A process group, so that all of it can be ended.
    const child = spawn('bash', ['-euc', script], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) running.add(child.pid)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    let late = false
    const timer = setTimeout(() => {
      late = true
      end(child.pid)
      // A process that left the group may keep them open.
      child.stdout.destroy()
      child.stderr.destroy()
    }, timeoutMs)
    // Background processes are not waited for.
    child.on('exit', () => end(child.pid))
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code: late ? null : (code ?? 1), output: Buffer.concat(chunks).toString('utf8') })
    })
    child.on('error', (error) => {
      clearTimeout(timer)
      done({ code: 1, output: error.message })
    })
  })
}

function end(group: number | undefined): void {
  if (group === undefined) return
  running.delete(group)
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // The group no longer exists.
  }
}
