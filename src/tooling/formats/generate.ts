// `npm run generate:formats` writes docs/formats.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands.ts'
import { formatsPage } from './page.ts'

writeFileSync(join(root, 'docs/formats.md'), formatsPage())
