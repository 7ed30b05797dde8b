import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` takes its first quoted argument as the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

/** Opens the address in the user's browser. Resolves to whether the program that does it could be started. */
export function openBrowser(url: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
    child.on('error', () => resolve(false))
    child.on('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
