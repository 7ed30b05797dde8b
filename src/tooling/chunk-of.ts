import type { Rolldown } from 'vite'

/** This module exports every component of its package. Only some of them are used, each by few views. */
const ALL_COMPONENTS = /\/node_modules\/radix-ui\//

/** Puts modules and everything that they import statically into one chunk. */
export function chunkOf(name: string, modules: readonly string[]): Rolldown.CodeSplittingGroup {
  let included: Set<string> | null = null
  return {
    // For the bundler's own messages, as the name is a function.
    debugName: name,
    name(id, build) {
      included ??= findImported(modules, (each) => build.getModuleInfo(each)?.importedIds ?? [])
      return included.has(id) ? name : null
    },
  }
}

function findImported(modules: readonly string[], importsOf: (id: string) => readonly string[]): Set<string> {
  // A loop over a set also visits what is added meanwhile.
  const found = new Set(modules)
  for (const id of found) {
    if (!ALL_COMPONENTS.test(id)) for (const imported of importsOf(id)) found.add(imported)
  }
  return found
}
