// Plugins of the window's build. Without them two packages would make up most of its files.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const INFLATE = '\0inflate-grammar'
const RAW = '.md?raw'
const DOCUMENT = '\0document:'

/** Decodes in the page what `compressGrammars` wrote. */
const inflateSource = `export async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return await new Response(text).json()
}`

/** Shiki's grammars, a tenth of their size: the JSON of a grammar repeats the same patterns again and again. */
export function compressGrammars(): Plugin {
  return {
    name: 'compress-grammars',
    apply: 'build',
    resolveId: (id) => (id === INFLATE ? id : null),
    load: (id) => (id === INFLATE ? inflateSource : null),
    transform: {
      filter: { id: /\/@shikijs\/langs\/dist\/[^/]+\.mjs$/ },
      handler(code) {
        const grammar = /Object\.freeze\(JSON\.parse\(("(?:[^"\\]|\\.)*")\)\)/s
        const [expression, literal] = grammar.exec(code) ?? []
        // A module that only exports another language.
        if (expression === undefined || literal === undefined) return null
        const compressed = gzipSync(JSON.parse(literal), { level: 9 }).toString('base64')
        const inflated = code.replace(expression, () => `await inflate("${compressed}")`)
        return { code: `import { inflate } from '${INFLATE}'\n${inflated}`, map: null }
      },
    },
  }
}

/** The documents that the help shows, half their size. */
export function compressDocuments(): Plugin {
  return {
    name: 'compress-documents',
    apply: 'build',
    // Before Vite's own, which makes a module of the whole text.
    enforce: 'pre',
    resolveId: (id, importer) =>
      id.endsWith(RAW) && importer !== undefined
        ? `${DOCUMENT}${resolve(dirname(importer), id.slice(0, -'?raw'.length))}`
        : null,
    load(id) {
      if (!id.startsWith(DOCUMENT)) return null
      const text = readFileSync(id.slice(DOCUMENT.length), 'utf8')
      const compressed = gzipSync(JSON.stringify(text), { level: 9 }).toString('base64')
      return `import { inflate } from '${INFLATE}'\nexport default await inflate("${compressed}")\n`
    },
  }
}

/** KaTeX's fonts only as WOFF2, which every browser that can show the window reads. */
export function woff2Only(): Plugin {
  return {
    name: 'woff2-only',
    enforce: 'pre',
    transform: {
      filter: { id: /\/katex\/dist\/katex\.min\.css$/ },
      handler: (code) => ({
        code: code.replace(/,url\([^)]+\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, ''),
        map: null,
      }),
    },
  }
}
