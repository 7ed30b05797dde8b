// The entry point of the desktop app, and of the command line where the app is installed. It only imports the rest, which
// then loads from the cache of compiled code.
import { reuseCompiledCode } from '../host/code-cache.ts'
import { commandArguments } from './command-arguments.ts'

reuseCompiledCode()
// The first argument is the path of the app when Electron is started from the sources.
const args = process.defaultApp ? null : commandArguments(process.argv)
if (args === null) void import('./app.ts')
else void import('./command-line.ts').then(({ runCommandLine }) => runCommandLine(args))
