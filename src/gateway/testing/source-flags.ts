// Flags for every Node process that runs the gateway from its sources. The built app needs none: its threads run plain
// JavaScript.
import { setFlagsFromString } from 'node:v8'

/**
 * Node strips types with a WebAssembly program, in each thread that loads a source file. V8 shares the compiled
 * wrappers of such calls between all threads, and may free one twice where one thread ends while another begins: the
 * whole process then dies of SIGTRAP or SIGSEGV (V8 13.6, `WasmImportWrapperCache::Free`). With a budget that no thread
 * uses up, no wrapper is compiled and none is freed.
 */
export const SOURCE_FLAGS: readonly string[] = ['--wasm-wrapper-tiering-budget=2147483647']

/** Sets the same flags in this process. To be called before it starts a thread. */
export function applySourceFlags(): void {
  for (const flag of SOURCE_FLAGS) setFlagsFromString(flag)
}
