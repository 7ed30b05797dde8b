import 'katex/dist/katex.min.css'
import { createMathPlugin } from '@streamdown/math'

export const math = createMathPlugin({ errorColor: 'var(--color-bad)' })
