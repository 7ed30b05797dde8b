import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { LICENSES_FILE } from './src/shared/desktop/license-file.ts'
import {
  dropPriceComments,
  escapeNonLatin1,
  loadAsCommonJs,
  loadPartOfUndici,
} from './src/tooling/build-plugins.ts'
import { chooseChunk } from './src/tooling/choose-chunk.ts'
import { shippedPackages } from './src/tooling/shipped-packages.ts'
import { compressDocuments, compressGrammars, woff2Only } from './src/tooling/smaller-assets.ts'
import { THREADS } from './src/tooling/threads.ts'

const from = (path: string) => resolve(import.meta.dirname, path)

/**
 * The interface is always served from the root of an origin. electron-vite uses relative paths, which do not work for a view
 * whose path has more than one segment.
 */
const servedFromRoot = { name: 'served-from-root', enforce: 'post', config: () => ({ base: '/' }) } as const

/** In kB. e2e/first-scripts.spec.ts and e2e/build-size.spec.ts limit what counts: the first scripts of the window, and all of its files. */
const NO_SIZE_WARNING = 10_000

/** They need no schemas. */
const small = [from(THREADS['store-worker']), from(THREADS['import-worker'])]

const licenses = shippedPackages(from('.'), LICENSES_FILE)

export default defineConfig({
  main: {
    plugins: [loadPartOfUndici, dropPriceComments, escapeNonLatin1, loadAsCommonJs, licenses.collect()],
    build: {
      outDir: 'out/main',
      // The start of the gateway is mostly the loading of code: few files, without comments, load several times as fast as
      // the packages in node_modules. Packages with native code stay there.
      externalizeDeps: false,
      chunkSizeWarningLimit: NO_SIZE_WARNING,
      rollupOptions: {
        external: ['electron', 'better-sqlite3', '@github/keytar'],
        // One build for both hosts of the gateway: the Electron main process, and plain Node (`cli`). Each worker is a
        // separate file because a thread is started from a file.
        input: {
          index: from('src/main/index.ts'),
          cli: from('src/cli/cli.ts'),
          ...THREADS,
        },
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          // Without a hash, so that Node's cache of compiled code has one entry for the file of all builds.
          chunkFileNames: '[name].js',
          // What all commands start with, and what those that call the gateway share with it: each file takes time to open.
          codeSplitting: {
            groups: [
              {
                ...chooseChunk(
                  'program',
                  [
                    from('src/cli/program.ts'),
                    from('src/host/crash-handlers.ts'),
                    from('src/host/data-dir.ts'),
                    from('src/host/find-socket.ts'),
                    from('src/shared/money/format-usd.ts'),
                  ],
                  small,
                ),
                priority: 1,
              },
              chooseChunk('schemas', [from('src/shared/api/operation-responses.ts')], small),
            ],
          },
          // The names stay, for the stack traces in the log.
          minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload is CommonJS and may require nothing but electron.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: from('src/preload/index.ts') },
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: from('src/renderer'),
    resolve: { alias: [{ find: /^zod$/, replacement: from('src/renderer/kit/zod-csp.ts') }] },
    plugins: [
      react(),
      tailwindcss(),
      compressGrammars(),
      compressDocuments(),
      woff2Only(),
      servedFromRoot,
      licenses.collect(),
      licenses.write(),
    ],
    build: {
      outDir: from('out/renderer'),
      // The window parses everything before it shows anything.
      minify: true,
      chunkSizeWarningLimit: NO_SIZE_WARNING,
      rollupOptions: {
        input: { index: from('src/renderer/index.html') },
        output: {
          // After the first script, three files to start with: the frame of the window, the app with the numbers that are
          // shown first, and the other amounts of that view; then one with its controls. Each takes with it what it imports, except what is
          // in a file before it.
          codeSplitting: {
            groups: [
              { name: 'first', test: /\/renderer\/main\.ts$|vite\/preload-helper/, priority: 2 },
              { name: 'frame', test: /\/renderer\/app\/start\.tsx$/, priority: 1 },
              { name: 'app', test: /\/renderer\/(?:app\/app|features\/overview\/overview)\.tsx$/ },
              { name: 'amounts', test: /\/renderer\/features\/overview\/overview-details\.tsx$/ },
              {
                name: 'later',
                test: /\/renderer\/(?:kit\/(?:copy|select)|app\/(?:banners|overlays|toasts|help-menu|update-sign)|features\/overview\/(?:cap-handle|overview-head|plans-card|running-sum|share-chart)|parts\/(?:help\/help-hint|limits\/limit-form))\.tsx$/,
              },
            ],
          },
        },
      },
    },
  },
})
