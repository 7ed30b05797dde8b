import type { Rolldown } from 'vite'

/** This module exports every component of its package. Only some of them are used, each by few views. */
const ALL_COMPONENTS = /\/node_modules\/radix-ui\//

type ImportsOf = (id: string) => readonly string[]

/**
 * Puts modules and everything that they import statically into one chunk, without what `apart` imports too: that is shared with
 * programs that need nothing else of the chunk.
 */
export function chooseChunk(
  name: string,
  modules: readonly string[],
  apart: readonly string[] = [],
): Rolldown.CodeSplittingGroup {
  let included: Set<string> | null = null
  return {
    // For the bundler's own messages, as the name is a function.
    debugName: name,
    // It would add what is left out below.
    includeDependenciesRecursively: apart.length === 0,
    name(id, build) {
      included ??= findIncluded((each) => build.getModuleInfo(each)?.importedIds ?? [])
      return included.has(id) ? name : null
    },
  }

  function findIncluded(getImports: ImportsOf): Set<string> {
    const others = findImported(apart, getImports)
    return new Set([...findImported(modules, getImports)].filter((id) => !others.has(id)))
  }
}

function findImported(modules: readonly string[], getImports: ImportsOf): Set<string> {
  // A loop over a set also visits what is added meanwhile.
  const found = new Set(modules)
  for (const id of found) {
    if (!ALL_COMPONENTS.test(id)) for (const imported of getImports(id)) found.add(imported)
  }
  return found
}
