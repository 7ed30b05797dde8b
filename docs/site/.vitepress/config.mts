import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

/** `npm run docs` writes it. */
const { base, version, repository, sidebar } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../pages/navigation.json', import.meta.url)), 'utf8'),
)

export default defineConfig({
  title: 'Tollgate',
  description: 'A private, metered gateway on your own machine to every language model you use.',
  lang: 'en',
  base,
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: process.env.TOLLGATE_SITE_CACHE,
  cleanUrls: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Connect a tool', link: '/connect', activeMatch: '^/(connect|tools/)' },
      { text: 'Caps', link: '/caps' },
      { text: 'Security', link: '/security' },
      { text: 'API', link: '/api', activeMatch: '^/(api$|reference/)' },
      {
        text: version,
        items: [
          { text: 'Changes', link: '/changelog' },
          { text: 'Source', link: repository },
        ],
      },
    ],
    editLink: { text: 'Edit this page', pattern: `${repository}/edit/main/docs/:path` },
    footer: { message: 'Free software under the MIT License' },
  },
})
