// Import this before any schema is created: zod tests for `eval` otherwise, which the CSP of the page forbids.
import { z } from 'zod'

z.config({ jitless: true })
