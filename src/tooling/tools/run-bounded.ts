// Owns running a shell script that may not end by itself: after its time, it and all it started are ended.
import { spawn } from 'node:child_process'

interface Bounds {
  cwd: string
  env: Record<string, string>
  timeoutMs: number
}

/** The exit code, null when the time was over, and all that was printed. */
export function runBounded(
  script: string,
  { cwd, env, timeoutMs }: Bounds,
): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    // A group of its own, which can be ended as one.
    const child = spawn('bash', ['-euc', script], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    let late = false
    const timer = setTimeout(() => {
      late = true
      end(child.pid)
      // What has left the group may hold them open.
      child.stdout.destroy()
      child.stderr.destroy()
    }, timeoutMs)
    // What it left running is not waited for.
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
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}
