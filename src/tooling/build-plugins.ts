// Plugins of the build of the gateway and the main process.
import type { Plugin } from 'vite'

/**
 * V8 keeps the source of a script in memory, with two bytes for each character if a single one is not in Latin-1. Such
 * characters are only in strings and regular expressions, where an escape means the same.
 */
export const escapeNonLatin1: Plugin = {
  name: 'escape-non-latin1',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\xff]/g, escapeUnit)
    }
  },
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Node loads CommonJS faster than ES modules: an import of one of Node's modules reads every export of it, and some of them
 * load more of Node.
 */
export const loadAsCommonJs: Plugin = {
  name: 'load-as-commonjs',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
  },
}

const UNDICI = '\0undici'

/**
 * undici's index loads all of it: fetch, WebSocket, caches and mocks too, which take three megabytes and a tenth of the start. The
 * index also gives clients the methods of `lib/api`, of which one is used.
 */
export const loadPartOfUndici: Plugin = {
  name: 'load-part-of-undici',
  enforce: 'pre',
  resolveId: (id) => (id === 'undici' ? UNDICI : null),
  load: (id) =>
    id === UNDICI
      ? `import connect from 'undici/lib/api/api-connect.js'
         import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
         Object.assign(Dispatcher.prototype, { connect })
         export { default as Client } from 'undici/lib/dispatcher/client.js'
         export { default as buildConnector } from 'undici/lib/core/connect.js'
         export { default as errors } from 'undici/lib/core/errors.js'`
      : null,
  // Leaves out its second, experimental parser of HTTP, as the build of undici that is a part of Node does.
  transform: (code, id) =>
    id.endsWith('/undici/lib/dispatcher/client-h1.js')
      ? { code: code.replaceAll("typeof esbuildDetection === 'undefined'", 'false'), map: null }
      : null,
}

/** The price data explains many models and prices in sentences that nothing shows. */
export const dropPriceComments: Plugin = {
  name: 'drop-price-comments',
  transform: (code, id) =>
    id.includes('/@pydantic/genai-prices/') ? { code: code.replace(PRICE_COMMENT, ''), map: null } : null,
}

const PRICE_COMMENT =
  /^ *(?:price_comments|description):\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`),?\n/gm
