import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where a module starts a thread: from a source, or in the build from the file next to it. */
const THREAD_URL =
  /new URL\(\s*import\.meta\.url\.endsWith\('\.ts'\) \? '[^']+' : '\.\/([\w-]+\.js)',\s*import\.meta\.url,?\s*\)/g

/**
 * A plugin by which tests start the built threads in `folder`. A thread that is started from the sources strips the types of all that
 * it loads, which takes longer than most tests.
 */
export function startBuiltThreads(folder: string) {
  const built = (file: string) => JSON.stringify(pathToFileURL(join(folder, file)).href)
  return {
    name: 'built-threads',
    enforce: 'pre',
    transform: (code: string) => code.replaceAll(THREAD_URL, (_, file: string) => `new URL(${built(file)})`),
  } as const
}
