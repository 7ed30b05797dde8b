/**
 * The programs that threads are started from: their names in the build, and their sources from the project's root. Each has a
 * copy in memory of all that it loads.
 */
export const THREADS = {
  'gateway-worker': 'src/host/thread/gateway-worker.ts',
  'store-worker': 'src/gateway/compose/store-worker.ts',
  'token-worker': 'src/gateway/models/tokens/token-worker.ts',
  'reconcile-worker': 'src/features/reconcile/gateway/reconcile-worker.ts',
  'import-worker': 'src/features/history/gateway/import-worker.ts',
} as const
