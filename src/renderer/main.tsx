import './zod-config.ts'
import './fonts.css'
import './theme.css'
import { createRoot } from 'react-dom/client'
import { App } from './shell/app.tsx'
import { startTheme } from './theme.ts'

startTheme()

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
