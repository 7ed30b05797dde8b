// Plugins of the window's build. Without them two packages would make up most of its files.
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const INFLATE = '\0inflate-grammar'

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
