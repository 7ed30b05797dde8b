import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { compressGrammars, woff2Only } from './src/tooling/smaller-assets.ts'

const from = (path: string) => resolve(import.meta.dirname, path)

/**
 * The interface is always served from the root of an origin. electron-vite uses relative paths, which do not work for a view
 * whose path has more than one segment.
 */
const servedFromRoot = { name: 'served-from-root', enforce: 'post', config: () => ({ base: '/' }) } as const

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: {
        // One build for both hosts of the gateway: the Electron main process, and plain Node (`cli`). Each worker is a
        // separate file because a thread is started from a file.
        input: {
          index: from('src/main/index.ts'),
          cli: from('src/host/cli.ts'),
          'store-worker': from('src/gateway/store/worker.ts'),
          'token-worker': from('src/gateway/tokens/token-worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload is CommonJS and may require nothing but electron, so zod is bundled.
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
    plugins: [react(), tailwindcss(), compressGrammars(), woff2Only(), servedFromRoot],
    build: {
      outDir: from('out/renderer'),
      // The window parses everything before it shows anything.
      minify: true,
      rollupOptions: { input: { index: from('src/renderer/index.html') } },
    },
  },
})
