// Makes the Debian package with Debian's own tools: electron-builder would download a Ruby program for it. Its text files are in
// resources/linux/deb. See the Debian Policy Manual, chapters 5 (control files) and 12 (copyright), and freedesktop.org's
// specifications of desktop entries and of AppStream.
import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { completionScripts } from '../../cli/commands/completion-scripts.ts'
import { root, run } from '../commands.ts'
import { APP_ID, MAINTAINER, MAINTAINER_EMAIL, NAME, PRODUCT } from './config.ts'

/** Debian's names of Node's processors. */
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }
const FOR_TESTS = ' .\n For tests only: built with a copy of Electron that is not the official one.\n'

const Manifest = z.object({ version: z.string(), homepage: z.string(), bugs: z.string() })
const resources = join(root, 'resources')

/** Makes `output/tollgate_<version>_<architecture>.deb` of the unpacked app, and returns its path. */
export async function makeDeb(unpacked: string, output: string, isForTests: boolean): Promise<string> {
  const arch = ARCHITECTURES[process.arch]
  if (arch === undefined) throw new Error(`There is no Debian package for ${process.arch}.`)
  const manifest = Manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
  const values = { ...manifest, arch, maintainer: `${MAINTAINER} <${MAINTAINER_EMAIL}>` }
  const staging = join(output, '.deb')
  const app = join(staging, 'opt', PRODUCT)
  await rm(staging, { recursive: true, force: true })
  await cp(unpacked, app, { recursive: true })
  // electron-updater reads how it was installed.
  await writeFile(join(app, 'resources/package-type'), 'deb')
  await addShared(join(staging, 'usr/share'), values)
  await setModes(staging)
  await mkdir(join(staging, 'usr/bin'), { mode: 0o755 })
  await symlink(`/opt/${PRODUCT}/resources/bin/${NAME}`, join(staging, 'usr/bin', NAME))
  // Chromium uses it where the kernel has no user namespaces for all users.
  await chmod(join(app, 'chrome-sandbox'), 0o4755)
  const installedKilobytes = String(Math.ceil((await computeSize(staging)) / 1024))
  const control = await fill('control', { ...values, installedKilobytes })
  await addControl(join(staging, 'DEBIAN'), isForTests ? control + FOR_TESTS : control)

  const deb = join(output, `${NAME}_${manifest.version}_${arch}.deb`)
  const { code, output: printed } = await run(
    'dpkg-deb',
    ['--root-owner-group', ...(isForTests ? ['-Zgzip', '-z1'] : ['-Zxz', '-z2']), '--build', staging, deb],
    { stdio: 'pipe' },
  )
  await rm(staging, { recursive: true, force: true })
  if (code !== 0) throw new Error(`dpkg-deb failed:\n${printed}`)
  return deb
}

/** A text file with the values in place of their names in braces. */
async function fill(name: string, values: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(resources, 'linux/deb', name), 'utf8')
  return text.replaceAll(/\{(\w+)\}/g, (all, value: string) => values[value] ?? all)
}

async function addShared(share: string, values: Readonly<Record<string, string>>): Promise<void> {
  const builtAt = new Date()
  const dates = {
    date: builtAt.toISOString().slice(0, 10),
    time: builtAt.toUTCString().replace('GMT', '+0000'),
  }
  const license = (await readFile(join(root, 'LICENSE'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
    .join('\n')
  const files: Record<string, string | Buffer> = {
    [`applications/${NAME}.desktop`]: await fill('tollgate.desktop', values),
    [`doc/${NAME}/copyright`]: await fill('copyright', { license }),
    [`doc/${NAME}/changelog.gz`]: compress(await fill('changelog', { ...values, ...dates })),
    [`metainfo/${APP_ID}.metainfo.xml`]: await fill('metainfo.xml', { ...values, ...dates }),
    [`man/man1/${NAME}.1.gz`]: compress(await readFile(join(resources, 'linux/tollgate.1'), 'utf8')),
    [`lintian/overrides/${NAME}`]: await fill('lintian-overrides', values),
    [`bash-completion/completions/${NAME}`]: completionScripts.bash ?? '',
    [`zsh/vendor-completions/_${NAME}`]: completionScripts.zsh ?? '',
    [`fish/vendor_completions.d/${NAME}.fish`]: completionScripts.fish ?? '',
    [`icons/hicolor/scalable/apps/${NAME}.svg`]: await readFile(join(resources, 'icon.svg')),
  }
  for (const name of await readdir(join(resources, 'icons'))) {
    const [size = ''] = name.split('.')
    // The icon theme has no larger folder.
    if (Number.parseInt(size, 10) > 512) continue
    files[`icons/hicolor/${size}/apps/${NAME}.png`] = await readFile(join(resources, 'icons', name))
  }
  for (const [path, content] of Object.entries(files)) await write(join(share, path), content)
}

async function addControl(dir: string, text: string): Promise<void> {
  await write(join(dir, 'control'), text)
  for (const [name, source] of [
    ['postinst', 'after-install.sh'],
    ['postrm', 'after-remove.sh'],
  ] as const) {
    await write(join(dir, name), await readFile(join(resources, 'linux', source)))
    await chmod(join(dir, name), 0o755)
  }
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  await writeFile(path, content, { mode: 0o644 })
}

function compress(text: string): Buffer {
  return gzipSync(text, { level: 9 })
}

/** Whatever the umask of the builder: folders and programs 0755, other files 0644. */
async function setModes(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true })
  await chmod(path, 0o755)
  for (const entry of entries) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) await setModes(child)
    else await chmod(child, ((await stat(child)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}

async function computeSize(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0,
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
