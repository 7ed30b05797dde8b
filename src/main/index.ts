// The entry point of the desktop app. It only imports the rest, which then loads from the cache of compiled code.
import { reuseCompiledCode } from '../host/code-cache.ts'

reuseCompiledCode()
void import('./app.ts')
