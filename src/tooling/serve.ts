// `npm run serve`: the headless gateway, built if necessary. Takes the flags of `tollgate serve`.
import { buildIfNeeded } from './build.ts'
import { runHeadless } from './exec.ts'

const built = await buildIfNeeded()
process.exitCode = built === 0 ? await runHeadless(process.argv.slice(2)) : built
