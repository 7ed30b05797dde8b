// `npm run dist`: the app and its installers for this system, in `dist/`. `--dir` makes only the unpacked app.
// `--arch x64 --arch arm64` packs for these processors, which needs the network (on Linux the package for Debian is made for this one only).
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { errorMessage } from '../../shared/values/text.ts'
import { buildApp } from '../build.ts'
import { root } from '../commands.ts'
import { electronForTests } from '../electron-binary.ts'
import { makeDeb } from './deb.ts'
import { packApp } from './pack-app.ts'

const OUTPUT = join(root, 'dist')

const { values } = parseArgs({
  options: { dir: { type: 'boolean', default: false }, arch: { type: 'string', multiple: true } },
})

try {
  process.exitCode = await dist(values.dir, values.arch)
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`)
  process.exitCode = 1
}

async function dist(dir: boolean, architectures: string[] | undefined): Promise<number> {
  const code = await buildApp()
  if (code !== 0) return code
  const electron = await electronForTests()
  const unpacked = await packApp({
    electron,
    output: OUTPUT,
    dir: dir || !electron.isOfficial,
    ...(architectures && { architectures }),
  })
  process.stdout.write(`The app is in ${unpacked}, with ${electron.origin}.\n`)
  if (!dir && process.platform === 'linux') {
    process.stdout.write(`The Debian package is ${await makeDeb(unpacked, OUTPUT, !electron.isOfficial)}.\n`)
  }
  if (electron.isOfficial) return 0
  process.stderr.write(
    'THIS RESULT IS FOR TESTING ONLY: the official Electron was neither installed nor could it be downloaded. ' +
      'Do not publish it, and do not use it for your own data.\n',
  )
  return 0
}
