// `node src/tooling/release/gather.ts FROM TO`: the files of a release in one folder, and its notes in `notes.md`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../commands.ts'
import { readSection } from './changelog.ts'
import { gatherFiles } from './gather-files.ts'

const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) throw new Error('Give the folder to read and the one to write.')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))
for (const name of gatherFiles(from, to)) console.log(name)
writeFileSync(join(root, 'notes.md'), `${readSection(read('CHANGELOG.md'), version) ?? ''}\n`)
