// `npm run serve`: the headless gateway, built if need be. Flags are those of `tollgate serve`.
import { buildIfNeeded } from './build.ts'
import { becomeHeadless } from './exec.ts'

const built = await buildIfNeeded()
process.exitCode = built === 0 ? await becomeHeadless(process.argv.slice(2)) : built
