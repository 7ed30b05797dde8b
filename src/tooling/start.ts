// `npm start`: the desktop app if there is a display and an official Electron binary, else the headless gateway.
// Takes the flags of `tollgate serve`.
import { buildIfNeeded } from './build.ts'
import { root } from './commands.ts'
import { officialElectron } from './electron-binary.ts'
import { runHeadless, runProgram } from './exec.ts'

const flags = process.argv.slice(2)
const built = await buildIfNeeded()
process.exitCode = built === 0 ? await start() : built

async function start(): Promise<number> {
  const hasDisplay =
    process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  if (!hasDisplay) {
    process.stderr.write('No display found: starting the gateway without its window.\n')
    return await runHeadless(flags)
  }
  const electron = await officialElectron()
  if (electron === null) {
    process.stderr.write(
      'The Electron binary is not installed and cannot be downloaded: opening the interface in the browser.\n',
    )
    return await runHeadless([...flags, '--open'])
  }
  const unsandboxed: string[] = []
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    // Chromium refuses to start its sandbox as root.
    process.stderr.write(
      'Running as root: Chromium’s sandbox is disabled. Use a normal user account instead.\n',
    )
    unsandboxed.push('--no-sandbox')
  }
  return await runProgram(electron, [...unsandboxed, root, ...flags])
}
