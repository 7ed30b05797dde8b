// The module that the window imports as `zod` (electron.vite.config.ts). By default zod tests for `eval`, which the CSP of
// the page forbids, unless this is configured before any schema is created.
import { config } from 'zod/v4'

config({ jitless: true })

export * from 'zod/v4'
