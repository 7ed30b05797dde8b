import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

const from = (path: string) => resolve(import.meta.dirname, path)

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: {
        // One build for both hosts of the gateway: the Electron main process, and plain Node (`cli`).
        // The workers are files of their own because a thread is started from a file.
        input: {
          index: from('src/main/index.ts'),
          cli: from('src/host/cli.ts'),
          'store-worker': from('src/gateway/store/worker.ts'),
          'token-worker': from('src/gateway/token-worker.ts'),
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
    plugins: [react(), tailwindcss()],
    build: {
      outDir: from('out/renderer'),
      rollupOptions: { input: { index: from('src/renderer/index.html') } },
    },
  },
})
