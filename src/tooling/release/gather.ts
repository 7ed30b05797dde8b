// `node src/tooling/release/gather.ts FROM TO`: the files of a release in one folder, and its notes in `notes.md`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appVersion } from '../../host/files.ts'
import { root } from '../commands.ts'
import { readSection } from './changelog.ts'
import { gatherFiles } from './gather-files.ts'

const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined) throw new Error('Give the folder to read and the one to write.')
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
for (const name of gatherFiles(from, to)) console.log(name)
writeFileSync(join(root, 'notes.md'), `${readSection(changelog, appVersion()) ?? ''}\n`)
