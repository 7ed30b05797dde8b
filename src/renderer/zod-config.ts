// Owns one setting that must be made before any schema exists: the page's CSP forbids `eval`, which zod
// otherwise probes for. Import it first.
import { z } from 'zod'

z.config({ jitless: true })
