// Plugins of the window's build. Without them two packages would make up most of its files.
import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

const INFLATE = '\0inflate-grammar'
const RAW = '.md?raw'
const DOCUMENT = '\0document:'

/** Reads in the page what `compress` wrote. */
const inflateSource = `export async function inflate(url) {
  const { body } = await fetch(url)
  return await new Response(body.pipeThrough(new DecompressionStream('gzip'))).json()
}`

/** Writes JSON to a compressed file, and returns code that reads it. In a script it would take a third more, as base64. */
function compress(
  { emitFile }: Pick<Rolldown.PluginContext, 'emitFile'>,
  name: string,
  json: string,
): string {
  const source = gzipSync(json, { level: 9 })
  return `await inflate(import.meta.ROLLUP_FILE_URL_${emitFile({ type: 'asset', name: `${name}.gz`, source })})`
}

const IMPORT = `import { inflate } from '${INFLATE}'\n`

/** Shiki's grammars, a tenth of their size: the JSON of a grammar repeats the same patterns again and again. */
export function compressGrammars(): Plugin {
  return {
    name: 'compress-grammars',
    apply: 'build',
    resolveId: (id) => (id === INFLATE ? id : null),
    load: (id) => (id === INFLATE ? inflateSource : null),
    transform: {
      filter: { id: /\/@shikijs\/langs\/dist\/[^/]+\.mjs$/ },
      handler(code, id) {
        const grammar = /Object\.freeze\(JSON\.parse\(("(?:[^"\\]|\\.)*")\)\)/s
        const [expression, literal] = grammar.exec(code) ?? []
        // A module that only exports another language.
        if (expression === undefined || literal === undefined) return null
        const inflated = compress(this, basename(id, '.mjs'), JSON.parse(literal))
        return { code: `${IMPORT}${code.replace(expression, () => inflated)}`, map: null }
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
      const path = id.slice(DOCUMENT.length)
      const text = JSON.stringify(readFileSync(path, 'utf8'))
      return `${IMPORT}export default ${compress(this, basename(path, '.md'), text)}\n`
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
